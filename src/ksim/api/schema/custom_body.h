// Custom body: decoding of a custom resource by its definition, after its own metadata: fields that
// the schema does not have are dropped, objects within it get the metadata that Go reads, defaults
// are filled in.
//
// Source: apiextensions-apiserver pkg/apiserver/customresource_handler.go
// (unstructuredSchemaCoercer.apply, unstructuredDefaulter); pkg/apiserver/schema/objectmeta/
// {algorithm,coerce}.go.
#pragma once
#include "ksim/api/kinds.h"
#include "ksim/api/schema/schema.h"

namespace ksim::api {

// Adds to the report what is unknown, and the first malformed metadata of an object within.
value::Value ReadByDefinition(const ResourceInfo& kind, const value::Value& tree, Compat compat,
                              SchemaReport* report);

}  // namespace ksim::api
