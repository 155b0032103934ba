// Custom resources of kinds that a CustomResourceDefinition defines: what a server does to them by
// their schema. Of kinds without a definition nothing is known.
//
// Sources: apiextensions-apiserver pkg/registry/customresource/{strategy,validator,
// status_strategy}.go, pkg/apiserver/customresource_handler.go (schemaCoercingDecoder,
// schemaCoercingConverter, unstructuredDefaulter).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/api/rules/validation.h"
#include "ksim/api/structural/schema_node.h"
#include "ksim/value/value.h"

namespace ksim::api {

// The schema of a kind at its version, compiled at the first call; null if it has none.
const SchemaNode* SchemaOf(const ResourceInfo& kind);

// The object as it is stored, at the storage version, and as it is read at the kind's version:
// pruned, and read with defaults. `convert` gives it the other apiVersion.
value::Value PrunedForStore(const ResourceInfo& kind, const value::Value& tree);
value::Value WithStoredDefaults(const ResourceInfo& kind, const value::Value& tree);
value::Value PrunedForVersion(const ResourceInfo& kind, const value::Value& tree);
// The same of an object that has the kind's apiVersion already: a webhook has converted it.
value::Value PrunedBySchemaOf(const ResourceInfo& kind, const value::Value& tree);

// strategy.Validate, after the metadata; with an `old` object ValidateUpdate. Appends to `errors`,
// and to `warnings`, which may be null, what is wrong where nothing changed.
void ValidateCustom(const ResourceInfo& kind, const value::Value& tree, const value::Value* old,
                    std::string_view subresource, Compat compat, FieldErrors* errors,
                    std::vector<std::string>* warnings = nullptr);

}  // namespace ksim::api
