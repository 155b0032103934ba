// GoOrder: the JSON of an API object as Go's encoding/json writes it: fields in the order of the
// struct, maps by their keys. What has no struct (custom resources, `unstructured`) is a map.
//
// Source: encoding/json (structs by declaration, maps sorted), apimachinery TypeMeta (kind before
// apiVersion, both before all else).
#pragma once
#include <string>

#include "ksim/value/value.h"

namespace ksim::api {

// The JSON text of an object with apiVersion and kind. A kind that is not built in is written by
// the names of its fields.
std::string ToGoJson(const value::Value& object);

}  // namespace ksim::api
