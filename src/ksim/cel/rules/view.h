// Values of a document under a schema.
//
// Upstream: k8s.io/apiserver pkg/cel/common/valuesunstructured.go UnstructuredToVal.
#pragma once
#include "ksim/cel/rules/schema.h"
#include "ksim/cel/values/val.h"

namespace ksim::cel {

// An error value where the document does not fit its schema.
Val ViewOf(const value::Value& tree, const SchemaPtr& schema);

}  // namespace ksim::cel
