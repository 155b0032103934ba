// Protobuf: API objects in the encoding that Kubernetes' own components ask for by default.
//
// Sources: apimachinery pkg/runtime/serializer/protobuf/protobuf.go (the envelope `k8s\0` and
// runtime.Unknown), the generated.pb.go files (fields), the JSON forms of meta/v1 Time,
// resource.Quantity and others.
#pragma once
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ksim/value/value.h"

namespace ksim::api {

// True for a kind that has a protobuf form: custom resources have none.
bool HasProtobuf(std::string_view api_version, std::string_view kind);

// The bytes of an object or list with apiVersion and kind, in the envelope. InvalidArgument for a
// kind without a protobuf form, or a field whose type is not the kind's.
absl::StatusOr<std::string> ToProtobuf(const value::Value& tree);
// The tree of such bytes, with apiVersion and kind. Fields that are not known are dropped.
// InvalidArgument with upstream's text for what has no envelope, or is cut short.
absl::StatusOr<value::Value> FromProtobuf(std::string_view bytes);

// One message without an envelope, as a watch writes its events: {type, object}, where the object
// is in an envelope.
absl::StatusOr<std::string> ToProtobufEvent(std::string_view type, const value::Value& object);

}  // namespace ksim::api
