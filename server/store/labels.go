package store

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// labelSetsKept is how many label sets are known at once. A fleet has far fewer than services, mostly; where it has more,
// some are held several times.
const labelSetsKept = 1 << 14

// labelSets let services with the same labels hold one map, and evaluations of one service too. They are not safe for
// concurrent use; the maps may be read by anybody and changed by nobody.
type labelSets struct {
	known *simplelru.LRU[string, map[string]string]
}

func newLabelSets(kept int) labelSets {
	known, err := simplelru.NewLRU[string, map[string]string](kept, nil)
	if err != nil {
		panic(err) // only for a size below one
	}

	return labelSets{known}
}

// share returns a map that holds the same labels as now: the one before if it does, else one that another service has.
func (s labelSets) share(before, now map[string]string) map[string]string {
	if len(now) == 0 {
		return nil
	}

	if maps.Equal(before, now) {
		return before
	}

	key := labelKey(now)
	if known, found := s.known.Get(key); found {
		return known
	}

	s.known.Add(key, now)

	return now
}

// labelKey is the same for the same labels only.
func labelKey(labels map[string]string) string {
	var key []byte

	for _, name := range slices.Sorted(maps.Keys(labels)) {
		for _, text := range [...]string{name, labels[name]} {
			key = binary.AppendUvarint(key, uint64(len(text)))
			key = append(key, text...)
		}
	}

	return string(key)
}
