#include "ksim/api/kinds/shared/workload.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/replicaset.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/workload_checks.h"
#include "ksim/value/selector.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Path;
using value::Value;

void CheckSelectorAndTemplate(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const Value& selector = spec.Get(Fields().selector);
  const FieldPath at = path.Child("selector");
  if (selector.is_null()) {
    errors->Required(at);
  } else {
    ValidateLabelSelector(selector, at, errors);
    if (IsEmptySelector(selector)) {
      errors->Invalid(at, selector, GoShape::kLabelSelector,
                      "empty selector is invalid for deployment");
    }
  }
  const auto parsed = value::LabelSelector::FromObject(selector);
  if (parsed.ok()) {
    CheckTemplate("ReplicaSet", *parsed, spec, path, errors);
  } else {
    errors->Invalid(at, selector, GoShape::kLabelSelector, "invalid label selector");
  }
}

void ValidateSelectorStays(const Value& updated, const Value& old, FieldErrorList* errors) {
  static const Path kSelector{"spec", "selector"};
  const FieldPath spec("spec");
  ValidateImmutable(updated.Get(kSelector), old.Get(kSelector), GoShape::kLabelSelector,
                    spec.Child("selector"), errors);
}

void ValidateReplicaCounts(const Value& tree, FieldErrorList* errors) {
  const Value& status = tree.Get(Fields().status);
  NonNegativeFields(status,
                    {Fields().replicas, Fields().fully_labeled_replicas, Fields().ready_replicas,
                     Fields().available_replicas, Fields().observed_generation},
                    FieldPath("status"), errors);
  AtMost(status, Fields().fully_labeled_replicas, Fields().replicas, kMoreThanReplicas, errors);
  AtMost(status, Fields().ready_replicas, Fields().replicas, kMoreThanReplicas, errors);
  AtMost(status, Fields().available_replicas, Fields().replicas, kMoreThanReplicas, errors);
  AtMost(status, Fields().available_replicas, Fields().ready_replicas, kMoreThanReady, errors);
}

std::vector<std::string> ReplicaSetCells(const Object& o, VirtualTime now) {
  const ReplicaSetView rs(o);
  return cells::WithSelector(
      {cells::Name(o), std::to_string(rs.replicas()), std::to_string(rs.status_replicas()),
       std::to_string(rs.ready_replicas()), cells::Age(o, now)},
      o);
}

std::string ReadyOfReplicas(const Object& o) {
  return fmt::format("{}/{}", o.status().Get("readyReplicas").AsInt(),
                     o.spec().Get("replicas").AsInt());
}

}  // namespace ksim::api
