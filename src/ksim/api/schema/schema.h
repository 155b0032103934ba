// Schema: decoding checks an object against the fields and Go types of its kind, refuses wrong
// types and warns of unknown fields. Of a kind without types (custom resources) it checks the
// metadata.
//
// Sources: k8s.io/api types.go at v0.36.0 (the tables); sigs.k8s.io/json and encoding/json
// (messages); apiserver pkg/endpoints/handlers/rest.go transformDecodeError, create.go
// fieldValidation.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/api/status.h"
#include "ksim/value/value.h"

namespace ksim::api {

struct SchemaReport {
  SchemaReport() = default;
  // The first field of a wrong type, as Go reports it: json: cannot unmarshal string into Go struct
  // field ReplicaSetSpec.spec.replicas of type int32. "" if there is none.
  std::string type_error;
  std::string type_error_path;  // where it is, with indexes: spec.containers[0].ports[1].name
  // unknown field "spec.foo", in document order of sorted names.
  std::vector<std::string> unknown_fields;
  std::vector<std::string> nearest_fields;  // for each the most similar known field, or ""
};

// Checks the tree of a whole object against its kind's fields.
SchemaReport CheckSchema(const ResourceInfo& kind, const value::Value& tree);

// The type error of a tree that is read into a Go struct, "" if there is none: for bodies that are
// no object of a kind, such as DeleteOptions.
std::string CheckStruct(std::string_view go_struct, const value::Value& tree);

// The tree as Go reads it into that struct, with a report of what it does not fit.
value::Value ReadStruct(std::string_view go_struct, const value::Value& tree, SchemaReport* report);

// The result of Go's decoder for a body.
struct Reading {
  Reading() = default;
  value::Value tree;    // without unknown fields and nulls
  std::string problem;  // why Go cannot decode it, in Go's words; "" if it can
};
Reading Read(const ResourceInfo& kind, const value::Value& body, std::string_view field_validation,
             std::vector<std::string>* warnings, Compat compat);

// Decodes a body for a kind: 400 for a wrong type, and for unknown fields with fieldValidation
// Strict; with Warn or "" unknown fields become warnings (appended, if not null); Ignore is silent.
// The tree comes back without its unknown fields, as a typed server would have it; nulls in it are
// dropped (they decode to absent). Compat changes the words: from 1.34 on a type error names
// embedded structs.
Result<value::Value> Decode(const ResourceInfo& kind, const value::Value& body,
                            std::string_view field_validation, std::vector<std::string>* warnings,
                            Compat compat = kDefaultCompat);

}  // namespace ksim::api
