#include "ksim/controllers/garbagecollector/owner_patches.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/core/fields.h"

namespace ksim::controllers {

using value::Value;

namespace {

constexpr const char* kOwnerReferences = "ownerReferences";

Value InMetadata(Value metadata) { return value::Obj({{"metadata", std::move(metadata)}}); }

// A Go slice that was never appended to is null in JSON.
Value ListOrNull(std::vector<Value> items) {
  return items.empty() ? Value() : Value::Array(std::move(items));
}

Value AtVersion(const api::Object& live, const char* field, Value list) {
  return InMetadata(
      value::Obj({{"resourceVersion", Value::Of(std::to_string(live.resource_version()))},
                  {field, std::move(list)}}));
}

Value Unblocked(const Owner& owner) {
  return owner.tree.Set("blockOwnerDeletion", Value::Bool(false));
}

}  // namespace

Value DeleteOwnersPatch(const Node& node, const std::vector<std::string>& owner_uids) {
  std::vector<Value> references;
  for (const std::string& uid : owner_uids)
    references.push_back(value::Obj({{"$patch", Value::Of("delete")}, {"uid", Value::Of(uid)}}));
  return InMetadata(value::Obj({{"uid", Value::Of(node.identity.uid)},
                                {kOwnerReferences, Value::Array(std::move(references))}}));
}

Value UnblockOwnersPatch(const Node& node) {
  std::vector<Value> references;
  for (const Owner& owner : node.owners)
    if (owner.blocks) references.push_back(Unblocked(owner));
  value::ObjectBuilder metadata;
  metadata.Add("uid", Value::Of(node.identity.uid));
  const bool any = !references.empty();
  metadata.AddIf(any, kOwnerReferences, Value::Array(std::move(references)));
  return InMetadata(metadata.Build());
}

Value DeleteOwnersMergePatch(const api::Object& live, const std::vector<std::string>& owner_uids) {
  std::vector<Value> kept;
  for (const Value& reference : ReferencesOf(live).items()) {
    const std::string_view uid = reference.Get("uid").AsString();
    if (std::find(owner_uids.begin(), owner_uids.end(), uid) == owner_uids.end())
      kept.push_back(reference);
  }
  return AtVersion(live, kOwnerReferences, ListOrNull(std::move(kept)));
}

Value UnblockOwnersMergePatch(const api::Object& live, const Node& node) {
  std::vector<Value> references;
  for (const Owner& owner : node.owners) references.push_back(Unblocked(owner));
  return AtVersion(live, kOwnerReferences, ListOrNull(std::move(references)));
}

std::optional<Value> RemoveFinalizerPatch(const api::Object& live, std::string_view finalizer) {
  std::vector<Value> kept;
  bool found = false;
  for (const Value& f : live.metadata().Get(api::Fields().finalizers).items()) {
    if (f.AsString() == finalizer)
      found = true;
    else
      kept.push_back(f);
  }
  if (!found) return std::nullopt;
  return AtVersion(live, "finalizers", ListOrNull(std::move(kept)));
}

}  // namespace ksim::controllers
