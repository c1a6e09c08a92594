package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/tidemark-project/tidemark/recommender/size"
)

// hashLength is the number of hexadecimal digits kept: 64 bits, ample to tell the versions of one policy apart.
const hashLength = 16

// ContentHash returns a hash of everything that can change an answer: all fields but Name and Hash. It is stable across
// processes and releases, because a field that is off contributes nothing: a field added later leaves the hash of a
// policy that does not use it as it was.
func (p *Policy) ContentHash() string {
	var text []byte

	field := func(name string, value int64) {
		if value != 0 {
			text = append(text, name...)
			text = append(text, '=')
			text = strconv.AppendInt(text, value, 10)
			text = append(text, '\n')
		}
	}
	pair := func(name string, value size.Resources) {
		field(name+".cpu_millis", value.CPUMillis)
		field(name+".memory_bytes", value.MemoryBytes)
	}

	pair("min", p.Min)
	pair("max", p.Max)

	for i, entry := range p.Catalogue {
		pair("catalogue."+strconv.Itoa(i), entry)
	}

	field("step_cpu_millis", p.StepCPUMillis)
	field("step_memory_bytes", p.StepMemoryBytes)
	field("memory_per_core_bytes", p.MemoryPerCoreBytes)

	text = append(text, "mode="+string(p.Mode.OrDefault())...)
	sum := sha256.Sum256(text)

	return hex.EncodeToString(sum[:])[:hashLength]
}
