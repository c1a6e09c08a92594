package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/tidemark-project/tidemark/recommender/size"
)

// hashLength is the number of hexadecimal digits kept: 64 bits, ample to tell the versions of one policy apart.
const hashLength = 16

// textHint is about how much text there is of a policy with everything on.
const textHint = 1024

// ContentHash returns a hash of everything that can change an answer: all fields but Name and Hash. It is stable across
// processes and releases, because a field that is off contributes nothing: a field added later leaves the hash of a
// policy that does not use it as it was.
func (p *Policy) ContentHash() string {
	text := make(hashText, 0, textHint)

	text.pair("min", p.Min)
	text.pair("max", p.Max)

	for i, entry := range p.Catalogue {
		text.pair("catalogue."+strconv.Itoa(i), entry)
	}

	text.number("step_cpu_millis", p.StepCPUMillis)
	text.number("step_memory_bytes", p.StepMemoryBytes)
	text.number("memory_per_core_bytes", p.MemoryPerCoreBytes)
	text.number("min_replicas", int64(p.MinReplicas))
	text.number("max_replicas", int64(p.MaxReplicas))
	text.floor(p.Floor)
	text.stepLimit("step_up", p.StepUp)
	text.stepLimit("step_down", p.StepDown)
	text.disruption(&p.Disruption)
	text.span("cool_down.up", p.CoolDown.Up)
	text.span("cool_down.down", p.CoolDown.Down)
	text.permission("permissions.cpu", p.Permissions.CPU)
	text.permission("permissions.memory", p.Permissions.Memory)
	text.permission("permissions.replicas", p.Permissions.Replicas)

	text = append(text, "mode="+string(p.Mode.OrDefault())...)
	sum := sha256.Sum256(text)

	return hex.EncodeToString(sum[:])[:hashLength]
}

// hashText is what is hashed: a line for each field that is not off.
type hashText []byte

func (t *hashText) word(name, value string) {
	if value != "" {
		*t = append(*t, name+"="+value+"\n"...)
	}
}

func (t *hashText) number(name string, value int64) {
	if value != 0 {
		t.word(name, strconv.FormatInt(value, 10))
	}
}

func (t *hashText) fraction(name string, value float64) {
	if value != 0 {
		t.word(name, strconv.FormatFloat(value, 'g', -1, 64))
	}
}

func (t *hashText) span(name string, value time.Duration) {
	t.number(name+"_nanoseconds", int64(value))
}

func (t *hashText) pair(name string, value size.Resources) {
	t.number(name+".cpu_millis", value.CPUMillis)
	t.number(name+".memory_bytes", value.MemoryBytes)
}

// floor adds nothing without a window, which switches the floor off.
func (t *hashText) floor(floor Floor) {
	if floor.Window == 0 {
		return
	}

	t.span("floor.window", floor.Window)
	t.fraction("floor.cpu_utilisation", floor.CPUUtilisation)
	t.fraction("floor.memory_multiplier", floor.MemoryMultiplier)
}

func (t *hashText) stepLimit(name string, limit StepLimit) {
	t.fraction(name+".share", limit.Share)
	t.pair(name, limit.Size.Resources())
	t.number(name+".replicas", int64(limit.Size.Replicas))
}

// disruption adds nothing for the class that an empty one stands for.
func (t *hashText) disruption(rules *Disruption) {
	if class := rules.Class.OrDefault(); class != DisruptionClass("").OrDefault() {
		t.word("disruption.class", string(class))
	}

	t.number("disruption.min_replicas", int64(rules.MinReplicas))
	t.fraction("disruption.min_up", rules.MinUp)
	t.fraction("disruption.min_down", rules.MinDown)

	for i, window := range rules.ScaleDown {
		name := "disruption.scale_down." + strconv.Itoa(i)

		// A window that is all zero is the whole of every day, which is not the same as no window.
		t.word(name, "window")

		for _, weekday := range window.Days {
			t.word(name+".day", strconv.Itoa(int(weekday)))
		}

		t.span(name+".from", window.From)
		t.span(name+".to", window.To)

		if window.Location != nil && window.Location != time.UTC {
			t.word(name+".location", window.Location.String())
		}
	}
}

func (t *hashText) permission(name string, permission Permission) {
	t.word(name+".up", string(permission.Up))
	t.word(name+".down", string(permission.Down))
}
