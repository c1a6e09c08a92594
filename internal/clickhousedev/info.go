package clickhousedev

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ClickHouse/ch-go/proto"
)

// serverRevision is the revision of the protocol that the server speaks: the newest that ch-go knows.
const serverRevision = proto.Version

// serverInfo is what the server says about itself.
type serverInfo struct {
	version             string
	major, minor, patch int
	timezone            string
}

// readInfo asks the engine for its version and its time zone.
func readInfo(s session) (serverInfo, error) {
	rows, err := queryRows(s, "SELECT version(), timezone()", nil)
	if err != nil {
		return serverInfo{}, fmt.Errorf("ask the engine for its version: %w", err)
	}
	const columns = 2
	if len(rows) != 1 || len(rows[0]) != columns {
		return serverInfo{}, fmt.Errorf("ask the engine for its version: unexpected answer %q", rows)
	}
	info := serverInfo{version: rows[0][0], timezone: rows[0][1]}
	numbers := strings.Split(info.version, ".")
	for i, to := range []*int{&info.major, &info.minor, &info.patch} {
		if i >= len(numbers) {
			break
		}
		if *to, err = strconv.Atoi(numbers[i]); err != nil {
			return info, fmt.Errorf("engine version %q: %w", info.version, err)
		}
	}
	return info, nil
}

// hello returns the packet that answers a client's hello.
func (i serverInfo) hello() proto.ServerHello {
	return proto.ServerHello{
		Name: "ClickHouse", DisplayName: "tidemark-dev",
		Major: i.major, Minor: i.minor, Patch: i.patch,
		Revision: serverRevision, Timezone: i.timezone,
	}
}
