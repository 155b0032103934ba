#include "ksim/api/rules/pod/placement_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/node_labels.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

constexpr std::string_view kNoSelector = "a null labelSelector results in matching no pod";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

// `preferred`: the term need not match, so that bad values are no error but a warning.
void WarnOfNodeTerm(const Value& term, bool preferred, const std::string& path,
                    PodWarningList* warnings) {
  const Value& expressions = term.Get(Fields().match_expressions);
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const Value& e = expressions.at(i);
    const std::string_view key = FieldText(e, Fields().key);
    if (const std::string_view text = DeprecatedLabelText(key, warnings->profile()); !text.empty())
      warnings->Add(fmt::format("{}.matchExpressions[{}].key", path, i),
                    fmt::format("{} is {}", key, text));
    if (!preferred || !warnings->profile().warns_of_affinity_values) continue;
    for (std::size_t j = 0; j < e.Get(Fields().values).size(); ++j) {
      const std::string_view label = e.Get(Fields().values).at(j).AsString();
      for (const std::string& problem : LabelValue(label, warnings->compat()))
        warnings->Add(fmt::format("{}.matchExpressions[{}].values[{}]", path, i, j),
                      fmt::format("{} is invalid, {}", label, problem));
    }
  }
}

}  // namespace

void WarnOfNodeLabels(const Value& spec, PodWarningList* warnings) {
  for (const Value::Member& m : spec.Get(Fields().node_selector).members()) {
    const std::string_view key = m.name.text();
    if (const std::string_view text = DeprecatedLabelText(key, warnings->profile()); !text.empty())
      warnings->Add(warnings->Path(fmt::format("spec.nodeSelector[{}]", key)), text);
  }
  const Value& affinity = spec.Get(Fields().affinity).Get(Fields().node_affinity);
  const std::string path = warnings->Path("spec.affinity.nodeAffinity");
  const Value& terms = affinity.Get(Fields().required_during_scheduling_ignored_during_execution)
                           .Get(Fields().node_selector_terms);
  for (std::size_t i = 0; i < terms.size(); ++i)
    WarnOfNodeTerm(terms.at(i), false,
                   fmt::format("{}.{}.nodeSelectorTerms[{}]", path, kRequired, i), warnings);
  const Value& preferred =
      affinity.Get(Fields().preferred_during_scheduling_ignored_during_execution);
  for (std::size_t i = 0; i < preferred.size(); ++i)
    WarnOfNodeTerm(preferred.at(i).Get(Fields().preference), true,
                   fmt::format("{}.{}[{}].preference", path, kPreferred, i), warnings);
}

void WarnOfSpread(const Value& spec, PodWarningList* warnings) {
  const Value& constraints = spec.Get(Fields().topology_spread_constraints);
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const std::string at = warnings->Path(fmt::format("spec.topologySpreadConstraints[{}]", i));
    const std::string_view key = FieldText(constraints.at(i), Fields().topology_key);
    if (const std::string_view text = DeprecatedLabelText(key, warnings->profile()); !text.empty())
      warnings->Add(at + ".topologyKey", fmt::format("{} is {}", key, text));
    if (constraints.at(i).Get(Fields().label_selector).is_null())
      warnings->Add(at + ".labelSelector", kNoSelector);
  }
}

void WarnOfPodAffinity(const Value& spec, Atom which, const std::string& path,
                       PodWarningList* warnings) {
  const Value& affinity = spec.Get(Fields().affinity).Get(which);
  const Value& required =
      affinity.Get(Fields().required_during_scheduling_ignored_during_execution);
  for (std::size_t i = 0; i < required.size(); ++i) {
    if (required.at(i).Get(Fields().label_selector).is_null())
      warnings->Add(fmt::format("{}.{}[{}].labelSelector", path, kRequired, i), kNoSelector);
  }
  const Value& preferred =
      affinity.Get(Fields().preferred_during_scheduling_ignored_during_execution);
  for (std::size_t i = 0; i < preferred.size(); ++i) {
    if (preferred.at(i).Get(Fields().pod_affinity_term).Get(Fields().label_selector).is_null())
      warnings->Add(fmt::format("{}.{}[{}].podAffinityTerm.labelSelector", path, kPreferred, i),
                    kNoSelector);
  }
}

}  // namespace ksim::api
