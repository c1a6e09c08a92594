package native

import "fmt"

// The first word of a LowCardinality column holds the width of its keys and these flags.
const (
	keyWidthMask        = 0xff
	flagGlobalDictonary = 1 << 8
	flagOwnDictionary   = 1 << 9
)

// lowCardinality copies n values that are keys into a dictionary: the dictionary, then the keys. Long columns may
// come as several such pieces.
func (c *copier) lowCardinality(elem *Type, n int) error {
	// The dictionary of a nullable type holds plain values; its first entry stands for NULL.
	if elem.kind == kindNullable {
		elem = elem.elems[0]
	}
	for n > 0 {
		keys, err := c.dictionaryPiece(elem)
		if err != nil {
			return err
		}
		if keys == 0 || keys > n {
			return fmt.Errorf("%w: %d keys for %d rows", ErrFormat, keys, n)
		}
		n -= keys
	}
	return nil
}

// dictionaryPiece copies one dictionary and its keys, and returns the number of keys.
func (c *copier) dictionaryPiece(elem *Type) (int, error) {
	flags, err := c.uint64()
	if err != nil {
		return 0, err
	}
	width := flags & keyWidthMask
	if width > 3 || flags&flagGlobalDictonary != 0 {
		return 0, fmt.Errorf("%w: LowCardinality layout %#x", ErrType, flags)
	}
	if flags&flagOwnDictionary != 0 {
		entries, err := c.count()
		if err != nil {
			return 0, err
		}
		if err := c.rows(elem, entries); err != nil {
			return 0, err
		}
	}
	keys, err := c.count()
	if err != nil {
		return 0, err
	}
	return keys, c.values(keys, 1<<width)
}
