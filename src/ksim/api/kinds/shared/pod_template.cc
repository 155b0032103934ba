#include "ksim/api/kinds/shared/pod_template.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/shared/pod_defaults.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/pod_warnings.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Path;
using value::Value;

Value DefaultTemplate(const Value& pod_template, Compat compat) {
  return DefaultPodTemplate(WithDefault(pod_template, Fields().spec, Value::EmptyObject()), compat);
}

Value WithDefaultTemplate(Value spec, Compat compat) {
  spec = WithDefault(std::move(spec), Fields().template_, Value::EmptyObject());
  return EditField(std::move(spec), Fields().template_,
                   [&](const Value& t) { return DefaultTemplate(t, compat); });
}

Value LabelsFromTemplate(const Value& tree) {
  static const value::Path kTemplateLabels{"spec", "template", "metadata", "labels"};
  static const value::Path kLabels{"metadata", "labels"};
  const Value& labels = tree.Get(kTemplateLabels);
  if (labels.empty() || !tree.Get(kLabels).empty()) return tree;
  return tree.Set(kLabels, labels);
}

std::vector<std::string> PodNameWarnings(const Value& tree, Compat compat) {
  static const Path kName{"metadata", "name"};
  if (!ProfileOf(compat).warns_of_pod_names) return {};
  const NameProblems problems = Dns1123Label(tree.Get(kName).AsString(), compat);
  if (problems.empty()) return {};
  return {
      fmt::format("metadata.name: this is used in Pod names and hostnames, which can result in "
                  "surprising behavior; a DNS label is recommended: [{}]",
                  fmt::join(problems, " "))};
}

std::vector<std::string> NamedTemplateWarnings(const Value& tree, Compat compat) {
  std::vector<std::string> warnings = PodNameWarnings(tree, compat);
  for (std::string& text : TemplateWarnings(tree, compat)) warnings.push_back(std::move(text));
  return warnings;
}

std::vector<std::string> TemplateWarnings(const Value& tree, Compat compat) {
  return PodTemplateWarnings(tree.Get("spec").Get("template"), "spec.template", compat);
}

std::vector<std::string> TemplateUpdateWarnings(const Value& updated, const Value& old,
                                                Compat compat) {
  if (!HasNewGeneration(updated, old)) return {};
  return TemplateWarnings(updated, compat);
}

bool HasNewGeneration(const Value& updated, const Value& old) {
  static const Path kGeneration{"metadata", "generation"};
  return updated.Get(kGeneration) != old.Get(kGeneration);
}

}  // namespace ksim::api
