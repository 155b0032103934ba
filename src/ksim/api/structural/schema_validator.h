// SchemaValidator: judges a value by its schema as kube-openapi does, and tells each error as the
// field error that a server makes of it.
//
// Sources: kube-openapi pkg/validation/validate/{schema,type,schema_props,validator,values,
// slice_validator,object_validator,result}.go, pkg/validation/errors/schema.go;
// apiextensions-apiserver pkg/apiserver/validation/{validation,ratcheting}.go.
#pragma once
#include <string_view>

#include "ksim/api/rules/field_errors.h"
#include "ksim/api/structural/schema_node.h"
#include "ksim/value/value.h"

namespace ksim::api {

// ValidateCustomResource, and with `old` ValidateCustomResourceUpdate with ratcheting: what is as
// it was is not judged again. `place` is the field that the value is at, "" for a whole object.
void ValidateBySchema(const SchemaNode& schema, const value::Value& v, const value::Value* old,
                      std::string_view place, FieldErrorList* errors);

}  // namespace ksim::api
