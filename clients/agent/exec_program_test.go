package agent

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// actAs makes the test's own binary act as a program that an agent runs.
const actAs = "act-as"

// longest bounds the life of a program that waits to be killed, for a test that fails to.
const longest = time.Minute

// command returns the command line of such a program.
func command(t *testing.T, role string, args ...string) []string {
	t.Helper()

	self, err := os.Executable()
	require.NoError(t, err)

	return append([]string{self, actAs, role}, args...)
}

// heard is what a program tells its test: what it was given.
type heard struct {
	Input       string   `json:"input"`
	Environment []string `json:"environment"`
}

// program is the main of these programs. It returns the exit status.
func program(role string, args []string) int {
	switch role {
	case "exit": // with this status, after saying this
		status, _ := strconv.Atoi(args[0])
		say(os.Stderr, strings.Join(args[1:], " "))

		return status
	case "ask": // the test at this address
		return ask(args[0])
	case "stay": // and have a child that stays, too, whatever they are asked
		if begin(args[0]) != nil {
			return 1
		}

		return stay(args[0])
	case "stay-alone":
		return stay(args[0])
	case "leave": // a child that stays and holds the standard error open
		if begin(args[0]) != nil {
			return 1
		}

		return 0
	case "polite": // ends well when asked to
		return polite(args[0])
	case "flood":
		for range 2000 {
			say(os.Stdout, strings.Repeat("o", 1000))
			say(os.Stderr, strings.Repeat("€", 1000)+"\xff")
		}

		say(os.Stderr, "the end")

		return 1
	case "die":
		if self, err := os.FindProcess(os.Getpid()); err == nil && self.Kill() == nil {
			time.Sleep(longest)
		}
	}

	return 1
}

// begin starts a child that stays, and waits until it is there.
func begin(address string) error {
	child := exec.Command(os.Args[0], actAs, "stay-alone", address)
	child.Stderr = os.Stderr

	said, err := child.StdoutPipe()
	if err != nil {
		return err
	}

	if err := child.Start(); err != nil {
		return err
	}

	_, err = bufio.NewReader(said).ReadString('\n')

	return err
}

// say writes a line. If nobody listens, the test has ended.
func say(to io.Writer, line string) { _, _ = io.WriteString(to, line+"\n") }

// ask tells the test what there is and ends with the status that it answers.
func ask(address string) int {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return 1
	}

	input, _ := io.ReadAll(os.Stdin)

	told, err := json.Marshal(heard{string(input), os.Environ()})
	if err != nil {
		return 1
	}

	say(conn, string(told))

	var status int
	if _, err := fmt.Fscan(conn, &status); err != nil {
		return 1
	}

	return status
}

// stay says that it is there, and hears of no SIGTERM.
func stay(address string) int {
	signal.Ignore(syscall.SIGTERM)

	conn, err := net.Dial("tcp", address)
	if err != nil {
		return 1
	}

	say(conn, "here")
	say(os.Stdout, "here")
	time.Sleep(longest)

	return 1
}

// polite says that it is there, and good-bye.
func polite(address string) int {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)

	conn, err := net.Dial("tcp", address)
	if err != nil {
		return 1
	}

	say(conn, "here")

	select {
	case <-asked:
		say(conn, "bye")

		return 0
	case <-time.After(longest):
		return 1
	}
}

// ear is where programs call.
type ear struct {
	*testing.T

	listener net.Listener
}

func listen(t *testing.T) ear {
	t.Helper()

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })

	return ear{t, listener}
}

func (e ear) address() string { return e.listener.Addr().String() }

// call is a program that is on the line.
type call struct {
	*testing.T

	conn   net.Conn
	reader *bufio.Reader
}

// accept waits for a program to call.
func (e ear) accept() call {
	e.Helper()

	conn, err := e.listener.Accept()
	require.NoError(e, err)
	e.Cleanup(func() { _ = conn.Close() })
	require.NoError(e, conn.SetDeadline(time.Now().Add(longest/2)))

	return call{e.T, conn, bufio.NewReader(conn)}
}

// says waits for a line; "" when the program has ended.
func (c call) says() string {
	c.Helper()

	line, err := c.reader.ReadString('\n')
	if err != nil {
		require.NotErrorIs(c, err, os.ErrDeadlineExceeded, "the program lives on")
	}

	return strings.TrimSpace(line)
}
