// The types of request and namespaceObject in expressions of admission.
//
// Upstream: k8s.io/apiserver pkg/admission/plugin/cel/compile.go BuildRequestType,
// BuildNamespaceType.
#pragma once
#include <set>
#include <string>
#include <string_view>

#include "ksim/cel/types/type.h"

namespace ksim::cel {

// The type of a field of one of these object types; null: it has none such.
TypePtr AdmissionFieldType(std::string_view type, std::string_view field);
// The names of these types.
std::set<std::string, std::less<>> AdmissionTypes();

}  // namespace ksim::cel
