package trace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxLine bounds a line, in bytes. None is a tenth as long.
const maxLine = 4096

// lines reads a file line by line and splits each into fields. A field is valid until the next line is read.
type lines struct {
	source source
	buffer *bufio.Reader
	header string
	number int
	fields [][]byte
}

// newLines reads the header, which must be as given.
func newLines(s source, header string) (*lines, error) {
	l := &lines{
		source: s,
		buffer: bufio.NewReaderSize(s.content, bufferSize),
		header: header,
		fields: make([][]byte, 1+strings.Count(header, ",")),
	}

	line, err := l.line()

	switch {
	case errors.Is(err, io.EOF):
		l.number = 1

		return nil, l.fault("the file is empty", "the header "+header)
	case err != nil:
		return nil, err
	case bytes.HasPrefix(line, []byte("\ufeff")):
		return nil, l.fault("a byte order mark comes first", "plain UTF-8, beginning with the header "+header)
	case string(line) != header:
		return nil, l.fault("the header is "+shown(line), header)
	}

	return l, nil
}

// next reads one line into fields. It returns io.EOF after the last one.
func (l *lines) next() error {
	line, err := l.line()
	if err != nil {
		return err
	}

	if problem := misprint(line); problem != "" {
		return l.fault(problem, "values separated by commas: "+l.header)
	}

	for i := range l.fields {
		value, rest, more := bytes.Cut(line, []byte(","))
		if last := i == len(l.fields)-1; more == last {
			return l.faultyCount(line, i)
		}

		l.fields[i], line = value, rest
	}

	return nil
}

// misprint says what is wrong with a line as a whole; empty when nothing is.
func misprint(line []byte) string {
	switch {
	case len(line) == 0:
		return "the line is empty"
	case bytes.IndexByte(line, '"') >= 0:
		return "the line holds a quotation mark"
	case !utf8.Valid(line):
		return "the line is not UTF-8"
	default:
		return ""
	}
}

func (l *lines) faultyCount(rest []byte, at int) error {
	has := at + 1 + bytes.Count(rest, []byte(","))

	return l.fault(fmt.Sprintf("the line has %d fields", has), fmt.Sprintf("%d: %s", len(l.fields), l.header))
}

// line returns one line without its end; io.EOF when there is none left.
func (l *lines) line() ([]byte, error) {
	line, err := l.buffer.ReadSlice('\n')

	switch {
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull):
		return nil, fmt.Errorf("%s:%d: read: %w", l.source.name, l.number+1, err)
	case len(line) == 0:
		return nil, io.EOF
	}

	l.number++

	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	if len(line) > maxLine {
		return nil, l.fault("the line is too long", fmt.Sprintf("at most %d bytes", maxLine))
	}

	return line, nil
}

func (l *lines) fault(problem, want string) error {
	return &Error{File: l.source.name, Line: l.number, Problem: problem, Want: want}
}

// faultyField names the column, what it holds and what would be right.
func (l *lines) faultyField(column string, text []byte, want string) error {
	return l.fault(column+" is "+shown(text), want)
}
