package policies

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// parserPosition is how the YAML parser begins its messages. Its line is where the block around the fault begins, and
// missing in the first line.
var parserPosition = regexp.MustCompile(`^yaml: (?:line \d+: )?`)

// advice says what to do about a message of the YAML parser.
var advice = []struct{ message, remedy string }{
	{"mapping values are not allowed", "put the text into quotes if it has a colon, or begin a new line"},
	{"did not find expected key", "indent it like the fields beside it, and close the quotes and brackets above"},
	{"did not find expected '-' indicator", "indent it like the items beside it"},
	{"did not find expected ',' or ']'", "close the list with ]"},
	{"did not find expected ',' or '}'", "close the map with }"},
	{"found unexpected end of stream", "close the quotes"},
	{"could not find expected ':'", `write a field as "name: value"`},
	{"did not find expected alphabetic or numeric character", `put a glob that begins with * into quotes: "*/orders"`},
	{"unknown anchor", `put a glob that begins with * into quotes: "*/orders"`},
	{"found character that cannot start any token", "put the text into quotes; indent with spaces, not with tabs"},
	{"tab character", "indent with spaces, not with tabs"},
	{"exceeded max depth", "no policy needs so many levels"},
	{"UTF-8", "save the file as UTF-8"},
	{"control characters", "remove the character"},
}

// failSyntax notes that a file is not YAML.
func (r *reader) failSyntax(content []byte, err error) {
	message := syntaxMessage(err)
	line, column := locate(content, message)

	remedy := "correct the line"

	for _, a := range advice {
		if strings.Contains(message, a.message) {
			remedy = a.remedy

			break
		}
	}

	r.failAtf(line, column, "", "not YAML: %s: %s", message, remedy)
}

func syntaxMessage(err error) string {
	return parserPosition.ReplaceAllString(err.Error(), "")
}

// locate finds the line with which a file stops being YAML: the first that, as the last line of a file, gives the same
// message. Its column is where the text of the line begins.
func locate(content []byte, message string) (int, int) {
	lines := bytes.SplitAfter(content, []byte("\n"))
	ends := make([]int, len(lines))
	end := 0

	for i, line := range lines {
		end += len(line)
		ends[i] = end
	}

	at := sort.Search(len(lines)-1, func(i int) bool {
		err := parses(content[:ends[i]])

		return err != nil && syntaxMessage(err) == message
	})

	text := bytes.TrimRight(lines[at], "\r\n")
	column := len(text) - len(bytes.TrimLeft(text, " ")) + 1

	return at + 1, column
}

// parses returns why content is not YAML.
func parses(content []byte) error {
	decoder := yaml.NewDecoder(bytes.NewReader(content))

	for {
		var document yaml.Node
		if err := decoder.Decode(&document); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}

			return err //nolint:wrapcheck // compared by its text
		}
	}
}

// quote shows text from a file in a message: short, and whatever it holds.
func quote(text string) string {
	const longest = 40

	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "..."
	}

	return strconv.Quote(text)
}
