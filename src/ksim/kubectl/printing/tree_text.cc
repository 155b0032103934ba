#include "ksim/kubectl/printing/tree_text.h"

#include <utility>

#include "ksim/value/json.h"
#include "ksim/value/yaml.h"

namespace ksim::kubectl {

using value::Value;

std::string TreeText(const Value& tree, const std::string& format) {
  return format == "yaml" ? value::ToYaml(tree) : value::ToPrettyJson(tree) + "\n";
}

// kubectl/pkg/cmd/get/get.go printGeneric: the list has no revision of its own.
Value ListOf(std::vector<Value> items) {
  return value::Obj({{"apiVersion", Value::Of("v1")},
                     {"kind", Value::Of("List")},
                     {"metadata", value::Obj({{"resourceVersion", Value::Of("")}})},
                     {"items", Value::Array(std::move(items))}});
}

}  // namespace ksim::kubectl
