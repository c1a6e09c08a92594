package native

import "fmt"

// prefix copies what a column has before its rows: the versions of the layouts inside.
func (c *copier) prefix(t *Type) error {
	switch t.kind {
	case kindLowCardinality:
		_, err := c.uint64()
		return err
	case kindVariant:
		mode, err := c.uint64()
		if err != nil {
			return err
		}
		if mode != 0 {
			return fmt.Errorf("%w: Variant in compact mode", ErrType)
		}
	case kindFixed, kindString, kindNullable, kindArray, kindTuple:
	}
	for _, elem := range t.elems {
		if err := c.prefix(elem); err != nil {
			return err
		}
	}
	return nil
}

// rows copies n values of a column.
func (c *copier) rows(t *Type, n int) error {
	switch t.kind {
	case kindFixed:
		return c.values(n, t.size)
	case kindString:
		return c.strings(n)
	case kindNullable:
		if err := c.bytes(n); err != nil {
			return err
		}
		return c.rows(t.elems[0], n)
	case kindArray:
		return c.array(t.elems[0], n)
	case kindTuple:
		return c.tuple(t, n)
	case kindLowCardinality:
		return c.lowCardinality(t.elems[0], n)
	case kindVariant:
		return c.variant(t, n)
	}
	return ErrType
}

func (c *copier) strings(n int) error {
	for range n {
		if err := c.str(); err != nil {
			return err
		}
	}
	return nil
}

// array copies n arrays: where each ends, then all the elements as one column.
func (c *copier) array(elem *Type, n int) error {
	if n == 0 {
		return nil
	}
	if err := c.values(n-1, 8); err != nil {
		return err
	}
	total, err := c.count()
	if err != nil {
		return err
	}
	return c.rows(elem, total)
}

func (c *copier) tuple(t *Type, n int) error {
	if len(t.elems) == 0 {
		return c.bytes(n)
	}
	for _, elem := range t.elems {
		if err := c.rows(elem, n); err != nil {
			return err
		}
	}
	return nil
}

// variant copies n values that each have one of several types: which, a byte per row, then a column per type.
func (c *copier) variant(t *Type, n int) error {
	start := len(c.out)
	if err := c.bytes(n); err != nil {
		return err
	}
	const null = 255
	counts := make([]int, len(t.elems))
	for _, which := range c.out[start:] {
		if which == null {
			continue
		}
		if int(which) >= len(counts) {
			return fmt.Errorf("%w: no type %d in the Variant", ErrFormat, which)
		}
		counts[which]++
	}
	for i, elem := range t.elems {
		if err := c.rows(elem, counts[i]); err != nil {
			return err
		}
	}
	return nil
}
