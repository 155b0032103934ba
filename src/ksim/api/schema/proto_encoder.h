// EncodeProto: a tree as a protobuf message, the way from JSON's form to Go's.
//
// Source: gogo/protobuf's generated Marshal: every field that is no pointer is written.
#pragma once
#include <string>

#include "ksim/api/schema/proto_types.h"
#include "ksim/value/value.h"

namespace ksim::api {

// Throws std::invalid_argument for a tree that is none of the message's.
std::string EncodeProto(const ProtoMessage& message, const value::Value& tree);

}  // namespace ksim::api
