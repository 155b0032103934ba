// The kind IngressClass of networking.k8s.io/v1.
//
// Source: pkg/printers/internalversion/printers.go printIngressClass.
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kIngressClassTypes = R"(
IngressClass: apiVersion=string kind=string metadata=ObjectMeta spec=IngressClassSpec
IngressClassParametersReference: apiGroup=*string kind!=string name!=string namespace=*string
   scope!=*string
IngressClassSpec: controller=string parameters=*IngressClassParametersReference
)";

std::vector<std::string> IngressClassCells(const Object& o, VirtualTime now) {
  const bool is_default =
      o.annotations().Get("ingressclass.kubernetes.io/is-default-class").AsString() == "true";
  const Value& p = o.spec().Get("parameters");
  std::string parameters = "<none>";
  if (p.is_object()) {
    const std::string group =
        p.Get("apiGroup").is_null() ? "" : "." + cells::Text(p.Get("apiGroup"));
    parameters = cells::Text(p.Get("kind")) + group + "/" + cells::Text(p.Get("name"));
  }
  return {cells::Name(o) + (is_default ? " (default)" : ""),
          cells::Text(o.spec().Get("controller")), parameters, cells::Age(o, now)};
}

}  // namespace

extern const KindSpec kIngressClassKind = {
    .group = "networking.k8s.io",
    .kind = "IngressClass",
    .resource = "ingressclasses",
    .namespaced = false,
    .has_generation = true,
    .go_types = kIngressClassTypes,
    .columns = {{"Name"}, {"Controller"}, {"Parameters"}, {"Age"}},
    .cells = IngressClassCells,
};

}  // namespace ksim::api
