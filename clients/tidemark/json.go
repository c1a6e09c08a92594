package tidemark

import (
	"bytes"
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// MarshalJSON returns a message of the API as one line of JSON, with the names of the proto fields. The same message
// gives the same bytes for the same build of the API, unlike protojson's own output.
func MarshalJSON(message proto.Message) ([]byte, error) {
	raw, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(message)
	if err != nil {
		return nil, fmt.Errorf("encode %s as JSON: %w", message.ProtoReflect().Descriptor().FullName(), err)
	}

	var line bytes.Buffer
	if err := json.Compact(&line, raw); err != nil {
		return nil, fmt.Errorf("encode %s as JSON: %w", message.ProtoReflect().Descriptor().FullName(), err)
	}

	return line.Bytes(), nil
}
