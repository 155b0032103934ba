// Pruning and defaulting of custom resources by their schemas. Each function returns the object
// itself where nothing changes.
//
// Sources: apiextensions-apiserver pkg/apiserver/schema/pruning/algorithm.go,
// defaulting/{algorithm,prunenulls}.go.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/structural/schema_node.h"
#include "ksim/value/value.h"

namespace ksim::api {

// Prune: a whole object (or a resource within another) without the fields that its schema does not
// have. `schema` null: none. Appends the paths of what it drops to `dropped`, if not null, sorted.
value::Value PruneUnknown(const SchemaNode* schema, const value::Value& object,
                          std::vector<std::string>* dropped);

// PruneNonNullableNullsWithoutDefaults
value::Value PruneNulls(const SchemaNode* schema, const value::Value& v);

// Default
value::Value FillDefaults(const SchemaNode* schema, const value::Value& v);

}  // namespace ksim::api
