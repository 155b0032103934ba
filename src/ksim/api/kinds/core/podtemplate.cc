// The kind PodTemplate of v1.
//
// Source: pkg/printers/internalversion/printers.go printPodTemplate.
#include <string>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/shared/pod_template.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/pod/pod_warnings.h"
#include "ksim/api/schema/shared_patch_schemas.h"
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

// core/podtemplate/strategy.go
std::vector<std::string> PodTemplateObjectWarnings(const Value& tree, Compat compat) {
  return PodTemplateWarnings(tree.Get("template"), "template", compat);
}

std::vector<std::string> PodTemplateObjectUpdateWarnings(const Value& updated, const Value& old,
                                                         Compat compat) {
  if (!HasNewGeneration(updated, old)) return {};
  return PodTemplateObjectWarnings(updated, compat);
}

std::vector<std::string> PodTemplateCells(const Object& o, VirtualTime) {
  static const value::Path kContainers{"template", "spec", "containers"};
  static const value::Path kLabels{"template", "metadata", "labels"};
  return {cells::Name(o), cells::JoinField(o.Get(kContainers), "name"),
          cells::JoinField(o.Get(kContainers), "image"), cells::Labels(o.Get(kLabels))};
}

constexpr value::PatchField kPodTemplatePatchFields[] = {Nested("metadata", &kMetaPatch),
                                                         Nested("template", &kTemplatePatch)};
constexpr value::PatchSchema kPodTemplatePatch{kPodTemplatePatchFields};

}  // namespace

extern const KindSpec kPodTemplateKind = {
    .kind = "PodTemplate",
    .resource = "podtemplates",
    .has_generation = true,
    .go_types = kPodTemplateTypes,
    .patch_schema = &kPodTemplatePatch,
    .columns = {{"Name"}, {"Containers"}, {"Images"}, {"Pod Labels"}},
    .cells = PodTemplateCells,
    .defaults = DefaultPodTemplateObject,
    .warnings_on_create = PodTemplateObjectWarnings,
    .warnings_on_update = PodTemplateObjectUpdateWarnings,
};

}  // namespace ksim::api
