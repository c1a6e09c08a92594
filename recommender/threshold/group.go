package threshold

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/tidemark-project/tidemark/recommender"
)

const (
	// groupPrefix begins the names of all groups that are made from templates.
	groupPrefix = "auto-"
	// hashLength is the number of hexadecimal digits of a group's name: 64 bits, ample for the groups of one service.
	hashLength = 16
	// presentTemplate names the template of a size that none of the parameters has.
	presentTemplate = "present"
)

// template returns the template that the replicas are made from, told by their CPU and memory. A size that no template has
// stands for itself, without a limit to its number, as the operator's default template does.
func (e *evaluation) template() Template {
	resources := e.in.Allocation.Resources()

	for _, t := range e.params.Templates {
		if t.Resources == resources {
			return t
		}
	}

	return Template{Name: presentTemplate, Resources: resources}
}

// group is so many replicas made from the template.
func (t Template) group(service string, replicas int32) recommender.Group {
	return recommender.Group{
		Name: GroupName(service, t), Template: t.Name, Resources: t.Resources, StorageBytes: t.StorageBytes, Replicas: replicas,
	}
}

// GroupName returns the name of a service's group that is made from a template: the same as long as nothing of the
// template changes but its count.
func GroupName(service string, t Template) string {
	// Quoted, so that no two different inputs make the same text.
	text := fmt.Sprintf("%q %q %d %d %d", service, t.Name, t.Resources.CPUMillis, t.Resources.MemoryBytes, t.StorageBytes)
	sum := sha256.Sum256([]byte(text))

	return groupPrefix + hex.EncodeToString(sum[:])[:hashLength]
}
