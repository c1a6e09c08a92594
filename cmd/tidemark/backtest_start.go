package main

import (
	"fmt"
	"strings"

	"github.com/tidemark-project/tidemark/recommender/size"
)

// startSize is a size as people write it: "2:8Gi".
type startSize size.Resources

// UnmarshalText implements encoding.TextUnmarshaler for kong.
func (s *startSize) UnmarshalText(text []byte) error {
	cpu, memory, both := strings.Cut(string(text), ":")
	if !both {
		return fmt.Errorf("%q is not a size: write CPU and memory with a colon between, such as 2:8Gi", text)
	}

	millis, err := size.ParseCPU(cpu)
	if err != nil {
		return err
	}

	bytes, err := size.ParseMemory(memory)
	if err != nil {
		return err
	}

	if *s = (startSize{CPUMillis: millis, MemoryBytes: bytes}); !size.Resources(*s).Known() {
		return fmt.Errorf("%q is not a size to start with: both must be above 0", text)
	}

	return nil
}
