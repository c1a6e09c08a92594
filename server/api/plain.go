package api

import (
	"strings"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// plainlyValid reports that a request keeps the rules of the API for sure, which is quicker to see than to evaluate them.
// Of what is not plain it says nothing: the rules in the API's definition decide.
func plainlyValid(request *tidemarkv1.EnqueueRequest) bool {
	const source, detail = 63, 256 // characters, of which there are no more than bytes

	_, known := triggers[request.GetTrigger()]

	return known && plainKey(request.GetService()) && request.GetRequestId() == "" &&
		len(request.GetSource()) <= source && len(request.GetDetail()) <= detail
}

// plainKey reports whether a key is "tenant/name", each of letters and digits with dots, dashes and underscores between.
func plainKey(service string) bool {
	const most = 253

	tenant, name, found := strings.Cut(service, "/")

	return found && len(service) <= most && plainPart(tenant) && plainPart(name)
}

func plainPart(part string) bool {
	if part == "" || !alphanumeric(part[0]) || !alphanumeric(part[len(part)-1]) {
		return false
	}

	for i := range len(part) {
		if c := part[i]; !alphanumeric(c) && c != '.' && c != '-' && c != '_' {
			return false
		}
	}

	return true
}

func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
