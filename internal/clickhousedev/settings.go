package clickhousedev

import (
	"maps"
	"slices"
	"strings"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/wire"
)

// tagSetting is the setting that holds the tag of a session, by which its query can be found and ended.
const tagSetting = "log_comment"

// settings keeps the settings of a session as the client means them to be. A client sends settings with each query,
// for that query alone, and the engine knows only those of the session, so they are set before the query and taken
// back before the next one that has others.
type settings struct {
	session session
	// applied are the settings that differ from the session's own, and their values.
	applied map[string]string
	// before are literals that bring back the session's own values.
	before map[string]string
}

// ours tells the settings that are not the client's to change: inserts are always synchronous, and the tag is ours.
func ours(name string) bool {
	switch name {
	case "async_insert", "wait_for_async_insert", tagSetting:
		return true
	}
	return false
}

// own gives the settings that are ours their values.
func (s *settings) own(tag string) error {
	return s.exec("SET async_insert = 0, " + tagSetting + " = " + quoteString(tag))
}

// apply makes the settings of a query those of the session.
func (s *settings) apply(list []wire.Setting) error {
	wanted := make(map[string]string, len(list))
	optional := map[string]bool{}
	for _, item := range list {
		if ours(item.Name) {
			continue
		}
		wanted[item.Name] = quoteString(item.Value)
		if item.Custom {
			wanted[item.Name] = quoteString(unquote(item.Value))
		}
		optional[item.Name] = !item.Important
	}
	if maps.Equal(wanted, s.applied) {
		return nil
	}
	if err := s.reset(wanted); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if s.applied[name] == wanted[name] {
			continue
		}
		err := s.set(name, wanted[name])
		if optional[name] && hasCode(err, proto.ErrUnknownSetting) {
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reset takes back the settings that are applied and not wanted.
func (s *settings) reset(wanted map[string]string) error {
	var undo []string
	for name := range s.applied {
		if _, ok := wanted[name]; !ok {
			undo = append(undo, quoteName(name)+" = "+s.before[name])
			delete(s.applied, name)
		}
	}
	if len(undo) == 0 {
		return nil
	}
	slices.Sort(undo)
	return s.exec("SET " + strings.Join(undo, ", "))
}

// set changes one setting, after it has noted how to take the change back.
func (s *settings) set(name, value string) error {
	if _, ok := s.before[name]; !ok {
		rows, err := queryRows(s.session,
			"SELECT value, changed FROM system.settings WHERE name = "+quoteString(name), nil)
		if err != nil {
			return err
		}
		s.before[name] = kindDefault
		if len(rows) == 1 && rows[0][1] == "1" {
			s.before[name] = quoteString(rows[0][0])
		}
	}
	if err := s.exec("SET " + quoteName(name) + " = " + value); err != nil {
		return err
	}
	s.applied[name] = value
	return nil
}

// forget is called before the client itself changes settings of the session.
func (s *settings) forget() { clear(s.before) }

func (s *settings) exec(sql string) error {
	_, _, err := s.session.query(sql, formatRows, nil)
	return asException(err)
}
