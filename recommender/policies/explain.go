package policies

import "fmt"

// Explain returns the policy of a service as a policy file of its own, each value with the place that it comes from: the
// policy or the defaults with their line, or what is built in. Read again, it gives the service the same policy.
func (s *Set) Explain(service string, labels map[string]string) string {
	c, effective := s.find(service, labels)

	var e emitter

	if c == s.fallback {
		fmt.Fprintf(&e.text, "# No policy matches %s: it has the defaults.\ndefaults:\n", quoted(service))
		e.policy(1, c)

		return e.text.String()
	}

	fmt.Fprintf(&e.text, "# %s has the policy %s, because %s matches.\npolicies:\n", quoted(service), quoted(c.name), quoted(effective.Match))
	e.text.WriteString("  - name: " + quoted(c.name) + e.origin(c.own.get("name")) + "\n")
	e.text.WriteString("    match:" + "\n")

	for _, f := range c.own.get("match").entries {
		e.text.WriteString("      " + f.name + ": " + flow(f.value) + e.origin(f.value) + "\n")
	}

	e.policy(2, c)

	return e.text.String()
}

// policy writes all that a policy says.
func (e *emitter) policy(indent int, c *class) {
	e.field(indent, "recommender", completeRecommender(c.tree.get("recommender")))

	for _, f := range policyFields {
		if value := c.tree.get(f.name); value != nil {
			e.field(indent, f.name, value)
		}
	}
}

// completeRecommender adds the parameters that the file does not give.
func completeRecommender(n *node) *node {
	chosen, parameters := algorithmOf(newReader(""), n)

	return n.fields(entry{name: chosen.word(), value: chosen.complete(parameters)})
}

// Complete returns a recommender with every parameter there is, as the fields of a file: those that are given, and else
// what holds when nothing is said. It takes what a file has in the field recommender, such as {two_window: {}}.
func Complete(recommender string) (string, error) {
	s, err := Parse("recommender", []byte("defaults: {recommender: "+recommender+"}"))
	if err != nil {
		return "", err
	}

	e := emitter{bare: true}
	e.field(0, "recommender", completeRecommender(s.fallback.tree.get("recommender")))

	return e.text.String(), nil
}
