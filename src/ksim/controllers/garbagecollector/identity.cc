#include "ksim/controllers/garbagecollector/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "ksim/api/core/fields.h"

namespace ksim::controllers {

using value::Value;

ObjectIdentity ObjectIdentity::Of(const api::ResourceInfo& resource, const api::Object& object) {
  ObjectIdentity out;
  out.api_version = resource.api_version();
  out.kind = resource.kind;
  out.ns = object.ns();
  out.name = object.name();
  out.uid = object.uid();
  return out;
}

std::string ObjectIdentity::ToString() const {
  return fmt::format("[{}/{}, namespace: {}, name: {}, uid: {}]", api_version, kind, ns, name, uid);
}

bool operator<(const ObjectIdentity& a, const ObjectIdentity& b) {
  return std::tie(a.kind, a.api_version, a.ns, a.name, a.uid) <
         std::tie(b.kind, b.api_version, b.ns, b.name, b.uid);
}

Owner::Owner(Value reference)
    : api_version(reference.Get("apiVersion").AsString()),
      kind(reference.Get("kind").AsString()),
      name(reference.Get("name").AsString()),
      uid(reference.Get("uid").AsString()),
      blocks(reference.Get("blockOwnerDeletion").AsBool()),
      tree(std::move(reference)) {}

ObjectIdentity Owner::In(std::string_view ns) const {
  ObjectIdentity out;
  out.api_version = api_version;
  out.kind = kind;
  out.ns = ns;
  out.name = name;
  out.uid = uid;
  return out;
}

bool Owner::Matches(const ObjectIdentity& identity) const {
  return uid == identity.uid && name == identity.name && kind == identity.kind &&
         api_version == identity.api_version;
}

const Value& ReferencesOf(const api::Object& object) {
  return object.metadata().Get(api::Fields().owner_references);
}

Owners OwnersOf(const api::Object& object) {
  Owners out;
  for (const Value& reference : ReferencesOf(object).items()) out.emplace_back(reference);
  return out;
}

// Where several references have one uid, upstream's map keeps the last of the old ones, and finds
// it for the first of the new ones only.
OwnersDiff DiffOwners(const Owners& before, const Owners& after) {
  OwnersDiff diff;
  Owners old;
  for (const Owner& owner : before) {
    const auto same = std::find_if(old.begin(), old.end(),
                                   [&owner](const Owner& o) { return o.uid == owner.uid; });
    if (same == old.end())
      old.push_back(owner);
    else
      *same = owner;
  }
  for (const Owner& owner : after) {
    const auto same = std::find_if(old.begin(), old.end(),
                                   [&owner](const Owner& o) { return o.uid == owner.uid; });
    if (same == old.end()) {
      diff.added.push_back(owner);
      continue;
    }
    if (same->tree != owner.tree) diff.changed.emplace_back(*same, owner);
    old.erase(same);
  }
  diff.removed = std::move(old);
  return diff;
}

}  // namespace ksim::controllers
