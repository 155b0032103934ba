#include "ksim/api/strategy/strategy.h"

#include <fmt/format.h>

#include <vector>

#include "ksim/api/conditions.h"
#include "ksim/api/core/timestamps.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/schema/schema_types.h"
#include "ksim/api/strategy/kind_strategy.h"
#include "ksim/api/strategy/pod_features.h"

namespace ksim::api {

using value::Atom;
using value::Path;
using value::Value;

namespace {

struct Names {
  Atom metadata{"metadata"}, spec{"spec"}, status{"status"}, uid{"uid"}, name{"name"},
      creation{"creationTimestamp"}, deletion{"deletionTimestamp"},
      grace{"deletionGracePeriodSeconds"}, self_link{"selfLink"}, generation{"generation"},
      labels{"labels"}, annotations{"annotations"}, owners{"ownerReferences"},
      api_version{"apiVersion"}, kind{"kind"}, finalizers{"finalizers"};
};
const Names& N() {
  static const Names names;
  return names;
}

bool Same(const Value& a, const Value& b) { return a.SameTree(b) || a == b; }

// Everything but apiVersion, kind, metadata and (unless it counts) status is the same.
bool SameContent(const Value& a, const Value& b, bool with_status) {
  const Names& n = N();
  const auto counts = [&](const Value::Member& m) {
    return m.name != n.api_version && m.name != n.kind && m.name != n.metadata &&
           (with_status || m.name != n.status);
  };
  const auto covered = [&](const Value& x, const Value& y) {
    for (const Value::Member& m : x.members()) {
      if (counts(m) && !Same(m.value, y.Get(m.name))) return false;
    }
    return true;
  };
  return covered(a, b) && covered(b, a);
}

bool HasPodGeneration(Compat compat) { return compat == Compat::k1_36; }

bool KeepsGeneration(const ResourceInfo& kind, Compat compat) {
  return kind.has_generation && (!kind.graceful_delete || HasPodGeneration(compat));
}

// Main endpoint: the generation moves when what the user asks for does.
bool BumpsGeneration(const ResourceInfo& kind, const Value& old, const Value& updated,
                     Compat compat) {
  // A PriorityClass has one from its creation on, and it stays at that.
  if (!KeepsGeneration(kind, compat) || kind.kind == "PriorityClass") return false;
  if (!SameContent(old, updated, kind.custom && !kind.has_status)) return true;
  return kind.generation_on_annotations && !Same(old.Get(N().metadata).Get(N().annotations),
                                                 updated.Get(N().metadata).Get(N().annotations));
}

// rest.BeforeUpdate, the part that does not depend on the kind.
Value RestoreSystemFields(const Value& metadata, const Value& old) {
  const Names& n = N();
  // An actor's update mostly has the metadata that it read, and that has come out of here.
  if (metadata.SameTree(old) && old.Find(n.self_link) == nullptr) return old;
  Value m = SetOrErase(metadata, n.creation, old.Get(n.creation));
  m = SetOrErase(std::move(m), n.generation, old.Get(n.generation));
  m = SetOrErase(std::move(m), n.self_link, Value());
  if (m.Get(n.uid).AsString().empty()) m = SetOrErase(std::move(m), n.uid, old.Get(n.uid));
  const Value& deletion = old.Get(n.deletion);
  if (!deletion.is_null()) m = std::move(m).Set(n.deletion, deletion);
  const Value& grace = old.Get(n.grace);
  if (!grace.is_null()) m = WithDefault(std::move(m), n.grace, grace);
  // As it came from kubectl or in a patch it is another tree, though mostly an equal one.
  return m == old ? old : m;
}

// The main endpoint: status stays, and what else the kind does not let clients touch.
Value PrepareMain(const ResourceInfo& kind, const Value& old, const Value& updated, Compat compat) {
  Value v = updated;
  if (kind.has_status) v = SetOrErase(std::move(v), N().status, old.Get(N().status));
  if (kind.kind == "Namespace" && kind.group.empty()) {
    static const Path kFinalizers{"spec", "finalizers"};
    const Value& finalizers = old.Get(kFinalizers);
    v = finalizers.is_null() ? v.Erase(kFinalizers) : std::move(v).Set(kFinalizers, finalizers);
  }
  v = PrepareKindForUpdate(kind, old, std::move(v));
  if (kind.graceful_delete) v = DropDisabledPodFields(std::move(v), compat);
  if (!BumpsGeneration(kind, old, v, compat)) return v;
  static const Path kGeneration{"metadata", "generation"};
  return std::move(v).Set(kGeneration, Value::Int(old.Get(kGeneration).AsInt() + 1));
}

// A custom resource's /status takes over nothing but the status, and who owns it.
Value PrepareCustomStatus(const Value& old, const Value& updated) {
  static const Path kManagedFields{"metadata", "managedFields"};
  Value v = SetOrErase(old, N().status, updated.Get(N().status));
  const Value& managed = updated.Get(kManagedFields);
  return managed.is_null() ? v : std::move(v).Set(kManagedFields, managed);
}

Value PreparePodStatus(const Value& old, Value v, Compat compat) {
  static const Path kOwners{"metadata", "ownerReferences"};
  static const Path kDeletion{"metadata", "deletionTimestamp"};
  static const Path kQos{"status", "qosClass"};
  static const Path kObserved{"status", "observedGeneration"};
  const Value& owners = old.Get(kOwners);
  v = owners.is_null() ? v.Erase(kOwners) : std::move(v).Set(kOwners, owners);
  if (old.Get(kDeletion).is_null()) v = v.Erase(kDeletion);
  // Newer servers put back what old kubelets dropped.
  const bool keeps_qos = compat == Compat::k1_36;
  if (keeps_qos && v.Get(kQos).AsString().empty() && !old.Get(kQos).is_null()) {
    v = std::move(v).Set(kQos, old.Get(kQos));
  }
  if (HasPodGeneration(compat) && v.Get(kObserved).AsInt() == 0 && !old.Get(kObserved).is_null()) {
    v = std::move(v).Set(kObserved, old.Get(kObserved));
  }
  return v;
}

Value PrepareStatus(const ResourceInfo& kind, const Value& old, const Value& updated,
                    Compat compat) {
  if (kind.custom) return PrepareCustomStatus(old, updated);
  Value v = SetOrErase(updated, N().spec, old.Get(N().spec));
  v = WithStatusCounters(kind, std::move(v));
  if (kind.graceful_delete) return PreparePodStatus(old, std::move(v), compat);
  if (kind.group == "apps" && kind.kind == "Deployment") {
    static const Path kLabels{"metadata", "labels"};
    const Value& labels = old.Get(kLabels);
    return labels.is_null() ? v.Erase(kLabels) : std::move(v).Set(kLabels, labels);
  }
  return v;
}

}  // namespace

Value ClearSystemFields(const Value& tree) {
  return EditField(tree, N().metadata, [](const Value& metadata) {
    Value m = metadata;
    for (const Atom name : {N().uid, N().creation, N().deletion, N().grace, N().self_link}) {
      m = value::EraseField(m, name);
    }
    return m;
  });
}

Value FillSystemFields(const Value& tree, std::string_view name, std::string_view uid,
                       VirtualTime now) {
  return tree.Set(N().metadata,
                  value::SetAll(tree.Get(N().metadata), {{N().creation, TimeValue(now)},
                                                         {N().name, Value::String(name)},
                                                         {N().uid, Value::String(uid)}}));
}

Value PrepareForCreate(const ResourceInfo& kind, const Value& tree, Compat compat) {
  static const Path kGeneration{"metadata", "generation"};
  Value v = tree;
  if (kind.has_status) {
    v = SetOrErase(std::move(v), N().status, InitialStatus(kind, tree, compat));
  }
  if (KeepsGeneration(kind, compat)) v = std::move(v).Set(kGeneration, Value::Of(1));
  return PrepareKindForCreate(kind, std::move(v), compat);
}

Value PrepareForUpdate(const ResourceInfo& kind, const Value& old, const Value& updated,
                       std::string_view subresource, Compat compat) {
  Value v =
      EditField(WithDefault(updated, N().metadata, Value::EmptyObject()), N().metadata,
                [&](const Value& m) { return RestoreSystemFields(m, old.Get(N().metadata)); });
  if (subresource == "status") return PrepareStatus(kind, old, v, compat);
  if (subresource == "finalize") return SetOrErase(std::move(v), N().status, old.Get(N().status));
  return PrepareMain(kind, old, v, compat);
}

Value DedupOwnerReferences(const Value& tree, bool after_admission, std::string* warning) {
  const Value& owners = tree.Get(N().metadata).Get(N().owners);
  if (owners.size() < 2) return tree;
  std::vector<Value> kept;
  std::vector<std::string> duplicates;
  for (const Value& ref : owners.items()) {
    bool seen = false;
    for (const Value& k : kept) seen = seen || Same(k, ref);
    if (seen) {
      duplicates.emplace_back(ref.Get(N().uid).AsString());
    } else {
      kept.push_back(ref);
    }
  }
  if (duplicates.empty()) return tree;
  if (warning != nullptr) {
    *warning = fmt::format(
        ".metadata.ownerReferences contains duplicate entries{}; API server dedups owner "
        "references "
        "in 1.20+, and may reject such requests as early as 1.24; please fix your requests; "
        "duplicate UID(s) observed: {}",
        after_admission ? " after mutating admission happens" : "", fmt::join(duplicates, ", "));
  }
  static const Path kOwners{"metadata", "ownerReferences"};
  return tree.Set(kOwners, Value::Array(std::move(kept)));
}

}  // namespace ksim::api
