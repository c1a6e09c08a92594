package policies

import "github.com/tidemark-project/tidemark/recommender/policy"

// spellOutMode turns the short forms of a mode into the long one. "mode: off" is "mode: {default: off}", and
// "cpu: up-only" is "cpu: {up: enforce, down: off}".
func spellOutMode(n *node) *node {
	if n == nil {
		return nil
	}

	if n.kind == scalar {
		return n.fields(entry{name: "default", value: n})
	}

	for _, e := range n.entries {
		if e.name != "default" && e.value.kind == scalar {
			n = n.with(e.name, spellOutPermission(e.value))
		}
	}

	return n
}

func spellOutPermission(n *node) *node {
	up, down := n, n
	if n.text == string(policy.ModeUpOnly) {
		up, down = n.says(string(policy.ModeEnforce)), n.says(string(policy.ModeOff))
	}

	return n.fields(entry{name: "up", value: up}, entry{name: "down", value: down})
}
