#include "ksim/api/kinds/core/pod_features.h"

#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

Value WithoutField(Value v, Atom field) {
  return v.Get(field).is_null() ? v : value::EraseField(v, field);
}

// Drops what gates guard in a container. A procMount other than Default becomes Default.
Value DropContainerFields(const Value& container) {
  Value c = WithoutField(container, Fields().resize_policy);
  c = EditField(std::move(c), Fields().volume_mounts, [](const Value& mounts) {
    return EditItems(mounts,
                     [](const Value& m) { return WithoutField(m, Fields().recursive_read_only); });
  });
  return EditField(std::move(c), Fields().security_context, [](const Value& security) {
    return EditField(security, Fields().proc_mount, [](const Value& mount) {
      return mount.AsString() == "Default" ? mount : Value::Of("Default");
    });
  });
}

// Calls `edit` for each term of a pod's affinity and anti-affinity.
template <class Edit>
Value EditAffinityTerms(Value affinity, const Edit& edit) {
  const auto edit_all = [&](const Value& one) {
    Value v = EditField(
        one, Fields().preferred_during_scheduling_ignored_during_execution, [&](const Value& list) {
          return EditItems(
              list, [&](const Value& w) { return EditField(w, Fields().pod_affinity_term, edit); });
        });
    return EditField(std::move(v), Fields().required_during_scheduling_ignored_during_execution,
                     [&](const Value& list) { return EditItems(list, edit); });
  };
  affinity = EditField(std::move(affinity), Fields().pod_affinity, edit_all);
  return EditField(std::move(affinity), Fields().pod_anti_affinity, edit_all);
}

Value DropTermFields(const Value& term) {
  return WithoutField(WithoutField(term, Fields().match_label_keys), Fields().mismatch_label_keys);
}

// applyLabelKeysToLabelSelector.
Value SelectByLabelKeys(Value selector, const Value& keys, const char* op, const Value& labels) {
  for (const Value& key : keys.items()) {
    const Value& label = labels.Get(key.AsString());
    if (label.is_null()) continue;
    const Value requirement =
        value::Obj({{"key", key}, {"operator", Value::Of(op)}, {"values", value::Arr({label})}});
    Value extended = selector.Get(Fields().match_expressions).Append(requirement);
    selector = std::move(selector).Set(Fields().match_expressions, std::move(extended));
  }
  return selector;
}

}  // namespace

Value DropDisabledPodFields(Value pod, Compat compat) {
  if (!ProfileOf(compat).drops_disabled_pod_fields) return pod;
  return EditField(std::move(pod), Fields().spec, [](const Value& v) {
    Value spec = WithoutField(v, Fields().host_users);
    for (const Atom list : {Fields().containers, Fields().init_containers}) {
      spec = EditField(std::move(spec), list,
                       [](const Value& items) { return EditItems(items, DropContainerFields); });
    }
    return EditField(std::move(spec), Fields().affinity,
                     [](const Value& a) { return EditAffinityTerms(a, DropTermFields); });
  });
}

Value MergeMatchLabelKeys(Value pod, Compat compat) {
  if (!ProfileOf(compat).pod_affinity_merges_keys) return pod;
  const Value labels = pod.Get(Fields().metadata).Get(Fields().labels);
  const auto merge = [&](const Value& term) {
    return EditField(term, Fields().label_selector, [&](const Value& selector) {
      return SelectByLabelKeys(
          SelectByLabelKeys(selector, term.Get(Fields().match_label_keys), "In", labels),
          term.Get(Fields().mismatch_label_keys), "NotIn", labels);
    });
  };
  return EditField(std::move(pod), Fields().spec, [&](const Value& v) {
    Value spec = EditField(v, Fields().affinity,
                           [&](const Value& a) { return EditAffinityTerms(a, merge); });
    return EditField(std::move(spec), Fields().topology_spread_constraints,
                     [&](const Value& list) { return EditItems(list, merge); });
  });
}

}  // namespace ksim::api
