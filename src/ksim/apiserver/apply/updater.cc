#include "ksim/apiserver/apply/updater.h"

namespace ksim::apiserver {

using value::Value;

Comparison Updater::Differences(const Value& live, const Value& changed) const {
  Comparison c = Compare(shape_, live, changed);
  c.removed = c.removed.RecursiveDifference(reset_);
  c.modified = c.modified.RecursiveDifference(reset_);
  c.added = c.added.RecursiveDifference(reset_);
  return c;
}

std::vector<ApplyConflict> Updater::Conflicts(const Comparison& change, const Manager& manager,
                                              const Managers& managers) const {
  const FieldSet touched = change.modified.Union(change.added);
  std::vector<ApplyConflict> out;
  for (const auto& [other, owned] : managers) {
    if (other == manager) continue;
    const auto add = [&out, &who = other](const FieldPath& path) { out.emplace_back(who, path); };
    owned.fields.Intersection(touched).ForEach(add);
  }
  return out;
}

void Updater::TakeFromOthers(const Comparison& change, const Manager& manager,
                             Managers* managers) const {
  const FieldSet touched = change.modified.Union(change.added).Union(change.removed);
  for (auto& [other, owned] : *managers)
    if (other != manager) owned.fields = owned.fields.Difference(touched);
  std::erase_if(*managers, [](const auto& entry) { return entry.second.fields.empty(); });
}

void Updater::Update(const Value& live, const Value& changed, const Manager& manager,
                     const std::string& api_version, Managers* managers) const {
  const Comparison change = Differences(live, changed);
  TakeFromOthers(change, manager, managers);
  Owned& owned = (*managers)[manager];
  owned.api_version = api_version;
  owned.fields = owned.fields.Difference(change.removed)
                     .Union(change.modified)
                     .Union(change.added)
                     .RecursiveDifference(reset_);
  if (owned.fields.empty()) managers->erase(manager);
}

// Removes from the merged object what `last` names, unless an owner of today still wants it, or it
// was taken along only because it is below something that went. prune, addBackOwnedItems,
// addBackDanglingItems.
Value Updater::Prune(const Value& merged, const FieldSet& last, const Managers& managers) const {
  if (last.empty()) return merged;
  const FieldSet last_named = WithNamedFields(shape_, last);
  Value pruned = RemoveItems(shape_, merged, last_named);
  FieldSet owned;
  for (const auto& [manager, o] : managers) owned = owned.Union(o.fields);
  const FieldSet all = WithNamedFields(shape_, FieldsOf(shape_, merged));
  FieldSet kept = WithNamedFields(shape_, FieldsOf(shape_, pruned));
  pruned = RemoveItems(shape_, merged, all.Difference(kept.Union(WithNamedFields(shape_, owned))));
  kept = WithNamedFields(shape_, FieldsOf(shape_, pruned));
  return RemoveItems(shape_, merged, all.Difference(kept).Intersection(last_named));
}

Updater::Applied Updater::Apply(const Value& live, const Value& config, const Manager& manager,
                                const std::string& api_version, bool force,
                                Managers* managers) const {
  Applied result;
  const Value merged = Merge(shape_, live, config);
  Managers next = *managers;
  Owned& mine = next[manager];
  const FieldSet last = mine.fields;
  mine.api_version = api_version;
  mine.fields = FieldsOf(shape_, config).RecursiveDifference(reset_);
  result.object = Prune(merged, last, next);
  const Comparison change = Differences(live, result.object);
  if (!force) result.conflicts = Conflicts(change, manager, next);
  if (!result.conflicts.empty()) return result;
  TakeFromOthers(change, manager, &next);
  *managers = std::move(next);
  return result;
}

}  // namespace ksim::apiserver
