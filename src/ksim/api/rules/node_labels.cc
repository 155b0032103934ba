#include "ksim/api/rules/node_labels.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/tree_edit.h"

namespace ksim::api {

using value::Value;

namespace {

using DeprecatedLabel = std::pair<std::string_view, std::string_view>;

// pkg/api/node/util.go deprecatedNodeLabels; the last three became deprecated after 1.30.
constexpr DeprecatedLabel kOldLabels[] = {
    {"beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"},
    {"beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"},
    {"failure-domain.beta.kubernetes.io/region",
     "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"},
    {"failure-domain.beta.kubernetes.io/zone",
     "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"},
    {"beta.kubernetes.io/instance-type",
     "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"},
    {"app.kubernetes.io/created-by", "deprecated since v1.9"},
    {"scheduler.alpha.kubernetes.io/preferAvoidPods",
     "deprecated since v1.22; use Taints and Tolerations instead"},
    {"node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"}};
constexpr std::size_t kOlderLabels = 5;

}  // namespace

std::string_view DeprecatedLabelText(std::string_view key, const Profile& profile) {
  const std::size_t count =
      profile.warns_of_newer_old_labels ? std::size(kOldLabels) : kOlderLabels;
  for (std::size_t i = 0; i < count; ++i) {
    if (kOldLabels[i].first == key) return kOldLabels[i].second;
  }
  return "";
}

void WarnOfLabelsInTerm(const Value& term, const std::string& path, const Profile& profile,
                        std::vector<std::string>* warnings) {
  const Value& expressions = term.Get(Fields().match_expressions);
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const std::string_view key = expressions.at(i).Get(Fields().key).AsString();
    const std::string_view text = DeprecatedLabelText(key, profile);
    if (text.empty()) continue;
    warnings->push_back(fmt::format("{}.matchExpressions[{}].key: {} is {}", path, i, key, text));
  }
}

void WarnOfLabelsInSelector(const Value& selector, const std::string& path, const Profile& profile,
                            std::vector<std::string>* warnings) {
  WarnOfLabelsInTerm(selector, path, profile, warnings);
  for (const Value::Member& m : selector.Get(Fields().match_labels).members()) {
    const std::string_view text = DeprecatedLabelText(m.name.text(), profile);
    if (text.empty()) continue;
    warnings->push_back(fmt::format("{}.matchLabels.{}: {}", path, m.name.text(), text));
  }
}

}  // namespace ksim::api
