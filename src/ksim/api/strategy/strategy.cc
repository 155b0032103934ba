#include "ksim/api/strategy/strategy.h"

#include <fmt/format.h>

#include <vector>

#include "ksim/api/conditions.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/timestamps.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/strategy/status_counters.h"

namespace ksim::api {

using value::Atom;
using value::Path;
using value::Value;

namespace {

bool Same(const Value& a, const Value& b) { return a.SameTree(b) || a == b; }

// Whether two objects are equal but for apiVersion, kind, metadata and, unless `with_status`,
// status.
bool SameContent(const Value& a, const Value& b, bool with_status) {
  const auto counts = [&](const Value::Member& m) {
    return m.name != Fields().api_version && m.name != Fields().kind &&
           m.name != Fields().metadata && (with_status || m.name != Fields().status);
  };
  const auto covered = [&](const Value& x, const Value& y) {
    for (const Value::Member& m : x.members()) {
      if (counts(m) && !Same(m.value, y.Get(m.name))) return false;
    }
    return true;
  };
  return covered(a, b) && covered(b, a);
}

// Whether objects of the kind have a generation in that version.
bool KeepsGeneration(const ResourceInfo& kind, Compat compat) {
  const auto gate = SpecOf(kind).generation_gate;
  return kind.has_generation && (gate == nullptr || ProfileOf(compat).*gate);
}

// Whether an update at the main endpoint increments the generation: it changes what the user asks
// for.
bool BumpsGeneration(const ResourceInfo& kind, const Value& old, const Value& updated,
                     Compat compat) {
  if (!KeepsGeneration(kind, compat) || SpecOf(kind).generation_stays) return false;
  if (!SameContent(old, updated, kind.custom && !kind.has_status)) return true;
  return kind.generation_on_annotations &&
         !Same(old.Get(Fields().metadata).Get(Fields().annotations),
               updated.Get(Fields().metadata).Get(Fields().annotations));
}

// The part of rest.BeforeUpdate that does not depend on the kind.
Value RestoreSystemFields(const Value& metadata, const Value& old) {
  // Most updates of controllers carry the metadata that they read, which have been restored before.
  if (metadata.SameTree(old) && old.Find(Fields().self_link) == nullptr) return old;
  Value m = SetOrErase(metadata, Fields().creation_timestamp, old.Get(Fields().creation_timestamp));
  m = SetOrErase(std::move(m), Fields().generation, old.Get(Fields().generation));
  m = SetOrErase(std::move(m), Fields().self_link, Value());
  if (m.Get(Fields().uid).AsString().empty())
    m = SetOrErase(std::move(m), Fields().uid, old.Get(Fields().uid));
  const Value& deletion = old.Get(Fields().deletion_timestamp);
  if (!deletion.is_null()) m = std::move(m).Set(Fields().deletion_timestamp, deletion);
  const Value& grace = old.Get(Fields().deletion_grace_period_seconds);
  if (!grace.is_null())
    m = WithDefault(std::move(m), Fields().deletion_grace_period_seconds, grace);
  // Metadata from kubectl or a patch are another tree, though mostly an equal one.
  return m == old ? old : m;
}

// An update at the main endpoint, or at a subresource of the kind's own, keeps the status and
// whatever else the kind's hook protects.
Value PrepareMain(const ResourceInfo& kind, const Value& old, const Value& updated,
                  std::string_view own_subresource, Compat compat) {
  Value v = updated;
  if (kind.has_status) v = SetOrErase(std::move(v), Fields().status, old.Get(Fields().status));
  const KindSpec& spec = SpecOf(kind);
  if (!own_subresource.empty()) {
    v = spec.prepare_subresource(old, std::move(v), own_subresource, compat);
  } else if (spec.prepare_update != nullptr) {
    v = spec.prepare_update(old, std::move(v), compat);
  }
  if (!BumpsGeneration(kind, old, v, compat)) return v;
  static const Path kGeneration{"metadata", "generation"};
  return std::move(v).Set(kGeneration, Value::Int(old.Get(kGeneration).AsInt() + 1));
}

// A custom resource's /status takes over the status and metadata.managedFields, and nothing else.
Value PrepareCustomStatus(const Value& old, const Value& updated) {
  static const Path kManagedFields{"metadata", "managedFields"};
  Value v = SetOrErase(old, Fields().status, updated.Get(Fields().status));
  const Value& managed = updated.Get(kManagedFields);
  return managed.is_null() ? v : std::move(v).Set(kManagedFields, managed);
}

Value PrepareStatus(const ResourceInfo& kind, const Value& old, const Value& updated,
                    Compat compat) {
  if (kind.custom) return PrepareCustomStatus(old, updated);
  Value v = SetOrErase(updated, Fields().spec, old.Get(Fields().spec));
  v = WithStatusCounters(kind, std::move(v));
  const auto prepare = SpecOf(kind).prepare_status_update;
  return prepare == nullptr ? v : prepare(old, std::move(v), compat);
}

// The status that a new object of a kind with a /status gets; null for none.
Value InitialStatus(const ResourceInfo& kind, const Value& tree, Compat compat) {
  if (kind.custom) return Value();
  const auto initial = SpecOf(kind).initial_status;
  return initial == nullptr ? ZeroStatus(kind) : initial(tree, compat);
}

}  // namespace

Value ClearSystemFields(const Value& tree) {
  return EditField(tree, Fields().metadata, [](const Value& metadata) {
    Value m = metadata;
    for (const Atom name : {Fields().uid, Fields().creation_timestamp, Fields().deletion_timestamp,
                            Fields().deletion_grace_period_seconds, Fields().self_link}) {
      m = value::EraseField(m, name);
    }
    return m;
  });
}

Value FillSystemFields(const Value& tree, std::string_view name, std::string_view uid,
                       VirtualTime now) {
  return tree.Set(Fields().metadata, value::SetAll(tree.Get(Fields().metadata),
                                                   {{Fields().creation_timestamp, TimeValue(now)},
                                                    {Fields().name, Value::String(name)},
                                                    {Fields().uid, Value::String(uid)}}));
}

Value PrepareForCreate(const ResourceInfo& kind, const Value& tree, Compat compat) {
  static const Path kGeneration{"metadata", "generation"};
  Value v = tree;
  if (kind.has_status) {
    v = SetOrErase(std::move(v), Fields().status, InitialStatus(kind, tree, compat));
  }
  if (KeepsGeneration(kind, compat)) v = std::move(v).Set(kGeneration, Value::Of(1));
  const auto prepare = SpecOf(kind).prepare_create;
  return prepare == nullptr ? v : prepare(std::move(v), compat);
}

Value PrepareForUpdate(const ResourceInfo& kind, const Value& old, const Value& updated,
                       std::string_view subresource, Compat compat) {
  Value v =
      EditField(WithDefault(updated, Fields().metadata, Value::EmptyObject()), Fields().metadata,
                [&](const Value& m) { return RestoreSystemFields(m, old.Get(Fields().metadata)); });
  if (subresource == "status") return PrepareStatus(kind, old, v, compat);
  if (subresource == "approval" && SpecOf(kind).prepare_approval != nullptr)
    return SpecOf(kind).prepare_approval(old, std::move(v), compat);
  if (subresource == "finalize")
    return SetOrErase(std::move(v), Fields().status, old.Get(Fields().status));
  const bool own = SpecOf(kind).prepare_subresource != nullptr && !subresource.empty();
  return PrepareMain(kind, old, v, own ? subresource : std::string_view(), compat);
}

Value DedupOwnerReferences(const Value& tree, bool after_admission, std::string* warning) {
  const Value& owners = tree.Get(Fields().metadata).Get(Fields().owner_references);
  if (owners.size() < 2) return tree;
  std::vector<Value> kept;
  std::vector<std::string> duplicates;
  for (const Value& ref : owners.items()) {
    bool seen = false;
    for (const Value& k : kept) seen = seen || Same(k, ref);
    if (seen) {
      duplicates.emplace_back(ref.Get(Fields().uid).AsString());
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

std::vector<std::string> WarningsOnCreate(const ResourceInfo& kind, const Value& tree,
                                          Compat compat) {
  const auto warnings = SpecOf(kind).warnings_on_create;
  return warnings == nullptr ? std::vector<std::string>() : warnings(tree, compat);
}

std::vector<std::string> WarningsOnUpdate(const ResourceInfo& kind, const Value& tree,
                                          const Value& old, std::string_view subresource,
                                          Compat compat) {
  const KindSpec& spec = SpecOf(kind);
  const auto warnings = subresource.empty()       ? spec.warnings_on_update
                        : subresource == "status" ? spec.warnings_on_status_update
                                                  : nullptr;
  return warnings == nullptr ? std::vector<std::string>() : warnings(tree, old, compat);
}

}  // namespace ksim::api
