package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// keys are services of a hundred tenants.
type keys struct {
	// first are the distinct keys, and again the same from memory of their own and in another order, as they are when they
	// come with another call.
	first, again []string
}

func newKeys(n int) *keys {
	k := &keys{first: make([]string, n), again: make([]string, n)}
	for i := range n {
		k.first[i] = key(i)
		k.again[i] = strings.Clone(k.first[i])
	}

	random := rand.New(rand.NewPCG(1, 1))
	random.Shuffle(n, func(i, j int) { k.again[i], k.again[j] = k.again[j], k.again[i] })

	return k
}

func key(i int) string { return fmt.Sprintf("tenant-%02d/service-%07d", i%100, i) }
