#include "ksim/api/strategy/pod_features.h"

#include "ksim/api/core/tree_edit.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

struct Names {
  Atom affinity{"affinity"}, containers{"containers"}, expressions{"matchExpressions"},
      host_users{"hostUsers"}, init_containers{"initContainers"}, key{"key"}, labels{"labels"},
      match{"matchLabelKeys"}, metadata{"metadata"}, mismatch{"mismatchLabelKeys"},
      mounts{"volumeMounts"}, op{"operator"}, pod{"podAffinity"}, pod_anti{"podAntiAffinity"},
      preferred{"preferredDuringSchedulingIgnoredDuringExecution"}, proc_mount{"procMount"},
      recursive{"recursiveReadOnly"}, required{"requiredDuringSchedulingIgnoredDuringExecution"},
      resize_policy{"resizePolicy"}, security{"securityContext"}, selector{"labelSelector"},
      spec{"spec"}, spread{"topologySpreadConstraints"}, term{"podAffinityTerm"}, values{"values"};
};
const Names& N() {
  static const Names names;
  return names;
}

Value Without(Value v, Atom field) {
  return v.Get(field).is_null() ? v : value::EraseField(v, field);
}

// ProcMountType: any other than the default becomes the default.
Value DropOfContainer(const Value& container) {
  Value c = Without(container, N().resize_policy);
  c = EditField(std::move(c), N().mounts, [](const Value& mounts) {
    return EditItems(mounts, [](const Value& m) { return Without(m, N().recursive); });
  });
  return EditField(std::move(c), N().security, [](const Value& security) {
    return EditField(security, N().proc_mount, [](const Value& mount) {
      return mount.AsString() == "Default" ? mount : Value::Of("Default");
    });
  });
}

// Calls `edit` for each term of a pod's affinity and anti-affinity.
template <class Edit>
Value EditTerms(Value affinity, const Edit& edit) {
  const auto edit_all = [&](const Value& one) {
    Value v = EditField(one, N().preferred, [&](const Value& list) {
      return EditItems(list, [&](const Value& w) { return EditField(w, N().term, edit); });
    });
    return EditField(std::move(v), N().required,
                     [&](const Value& list) { return EditItems(list, edit); });
  };
  affinity = EditField(std::move(affinity), N().pod, edit_all);
  return EditField(std::move(affinity), N().pod_anti, edit_all);
}

Value DropOfTerm(const Value& term) { return Without(Without(term, N().match), N().mismatch); }

// applyLabelKeysToLabelSelector.
Value SelectBy(Value selector, const Value& keys, const char* op, const Value& labels) {
  for (const Value& key : keys.items()) {
    const Value& label = labels.Get(key.AsString());
    if (label.is_null()) continue;
    const Value requirement =
        value::Obj({{"key", key}, {"operator", Value::Of(op)}, {"values", value::Arr({label})}});
    Value extended = selector.Get(N().expressions).Append(requirement);
    selector = std::move(selector).Set(N().expressions, std::move(extended));
  }
  return selector;
}

}  // namespace

Value DropDisabledPodFields(Value pod, Compat compat) {
  if (compat == Compat::k1_36) return pod;
  return EditField(std::move(pod), N().spec, [](const Value& v) {
    Value spec = Without(v, N().host_users);
    for (const Atom list : {N().containers, N().init_containers}) {
      spec = EditField(std::move(spec), list,
                       [](const Value& items) { return EditItems(items, DropOfContainer); });
    }
    return EditField(std::move(spec), N().affinity,
                     [](const Value& a) { return EditTerms(a, DropOfTerm); });
  });
}

Value MergeMatchLabelKeys(Value pod, Compat compat) {
  if (compat != Compat::k1_36) return pod;  // MatchLabelKeysInPodAffinity is on from 1.31
  const Value labels = pod.Get(N().metadata).Get(N().labels);
  const auto merge = [&](const Value& term) {
    return EditField(term, N().selector, [&](const Value& selector) {
      return SelectBy(SelectBy(selector, term.Get(N().match), "In", labels), term.Get(N().mismatch),
                      "NotIn", labels);
    });
  };
  return EditField(std::move(pod), N().spec, [&](const Value& v) {
    Value spec = EditField(v, N().affinity, [&](const Value& a) { return EditTerms(a, merge); });
    return EditField(std::move(spec), N().spread,
                     [&](const Value& list) { return EditItems(list, merge); });
  });
}

}  // namespace ksim::api
