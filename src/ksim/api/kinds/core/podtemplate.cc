// Source: pkg/printers/internalversion/printers.go printPodTemplate.
#include <string>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kPodTemplateTypes = R"(
PodTemplate: apiVersion=string kind=string metadata=ObjectMeta template=PodTemplateSpec
PodTemplateSpec: metadata=ObjectMeta spec=PodSpec
)";

Value DefaultPodTemplateObject(const Value& tree, Compat compat) {
  return WithDefaultTemplate(tree, compat);
}

std::vector<std::string> PodTemplateCells(const Object& o, VirtualTime) {
  static const value::Path kContainers{"template", "spec", "containers"};
  static const value::Path kLabels{"template", "metadata", "labels"};
  return {cells::Name(o), cells::Join(o.Get(kContainers), "name"),
          cells::Join(o.Get(kContainers), "image"), cells::Labels(o.Get(kLabels))};
}

}  // namespace

extern const KindSpec kPodTemplateKind = {
    .kind = "PodTemplate",
    .resource = "podtemplates",
    .has_generation = true,
    .go_types = kPodTemplateTypes,
    .columns = {{"Name"}, {"Containers"}, {"Images"}, {"Pod Labels"}},
    .cells = PodTemplateCells,
    .defaults = DefaultPodTemplateObject,
};

}  // namespace ksim::api
