#include "ksim/api/rules/pod/topology_spread.h"

#include <fmt/format.h>

#include "ksim/api/core/fields.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/pod/label_keys.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

void CheckMinDomains(const Value& constraint, const FieldPath& path, FieldErrorList* errors) {
  const Value& domains = constraint.Get(Fields().min_domains);
  if (domains.is_null()) return;
  if (domains.AsInt() <= 0) errors->Invalid(path, domains.AsInt(), "must be greater than zero");
  const std::string_view action = constraint.Get(Fields().when_unsatisfiable).AsString();
  if (action == "DoNotSchedule") return;
  errors->Invalid(
      path, domains.AsInt(),
      fmt::format("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {}", action));
}

// validateMatchLabelKeysInTopologySpread.
void CheckSpreadLabelKeys(const Value& constraint, const FieldPath& at, FieldErrorList* errors) {
  if (errors->profile().spread_label_keys_merge) {
    return ValidateLabelKeys(constraint, at, errors);
  }
  const Value& keys = constraint.Get(Fields().match_label_keys);
  const Value& selector = constraint.Get(Fields().label_selector);
  const FieldPath path = at.Child("matchLabelKeys");
  if (keys.empty()) return;
  if (selector.is_null()) {
    errors->Forbidden(path, "must not be specified when labelSelector is not set");
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string_view key = keys.at(i).AsString();
    ValidateLabelName(key, path.Index(i), errors);
    bool there = selector.Get(Fields().match_labels).Has(key);
    for (const Value& e : selector.Get(Fields().match_expressions).items()) {
      there = there || e.Get(Fields().key).AsString() == key;
    }
    if (!there) continue;
    errors->Invalid(path.Index(i), key, "exists in both matchLabelKeys and labelSelector");
  }
}

void CheckConstraint(const Value& constraints, std::size_t i, const FieldPath& path,
                     FieldErrorList* errors) {
  const Value& c = constraints.at(i);
  const std::int64_t skew = c.Get(Fields().max_skew).AsInt();
  if (skew <= 0) errors->Invalid(path.Child("maxSkew"), skew, "must be greater than zero");
  const std::string_view key = c.Get(Fields().topology_key).AsString();
  if (key.empty()) errors->Required(path.Child("topologyKey"), "can not be empty");
  const std::string_view action = c.Get(Fields().when_unsatisfiable).AsString();
  ValidateChoice(action, false, path.Child("whenUnsatisfiable"),
                 {"DoNotSchedule", "ScheduleAnyway"}, errors);
  for (std::size_t j = i + 1; j < constraints.size(); ++j) {
    const Value& other = constraints.at(j);
    if (other.Get(Fields().topology_key).AsString() != key) continue;
    if (other.Get(Fields().when_unsatisfiable).AsString() != action) continue;
    errors->Duplicate(path.Child("{topologyKey, whenUnsatisfiable}"),
                      fmt::format("{{{}, {}}}", key, action));
    break;
  }
  CheckMinDomains(c, path.Child("minDomains"), errors);
  for (const Atom policy : {Fields().node_affinity_policy, Fields().node_taints_policy}) {
    if (c.Get(policy).is_null()) continue;
    ValidateChoice(c.Get(policy).AsString(), false, path.Child(policy.text()), {"Honor", "Ignore"},
                   errors);
  }
  CheckSpreadLabelKeys(c, path, errors);
  if (!errors->profile().spread_selector) return;
  ValidateLabelSelector(c.Get(Fields().label_selector), path.Child("labelSelector"), errors);
}

}  // namespace

void ValidateTopologySpread(const Value& constraints, const FieldPath& path,
                            FieldErrorList* errors) {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    CheckConstraint(constraints, i, path.Index(i), errors);
  }
}

}  // namespace ksim::api
