// ObjectIdentity: the coordinates by which the garbage collector knows an object: those of an owner
// reference, and a namespace. Owner: one owner reference of an object.
//
// Source: pkg/controller/garbagecollector/graph.go objectReference, ownerReferenceCoordinates,
// ownerReferenceMatchesCoordinates; graph_builder.go referenceLessThan, referencesDiffs.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

struct ObjectIdentity {
  ObjectIdentity() = default;
  static ObjectIdentity Of(const api::ResourceInfo& resource, const api::Object& object);
  friend bool operator==(const ObjectIdentity&, const ObjectIdentity&) = default;
  bool namespaced() const { return !ns.empty(); }
  // "[v1/Pod, namespace: default, name: web-1, uid: ...]", as upstream logs it.
  std::string ToString() const;

  std::string api_version, kind, ns, name, uid;  // ns "" = cluster scope, or not known
};

// By kind, apiVersion, namespace, name, uid.
bool operator<(const ObjectIdentity& a, const ObjectIdentity& b);

struct Owner {
  Owner() = default;
  explicit Owner(value::Value reference);
  // Its coordinates, in a namespace.
  ObjectIdentity In(std::string_view ns) const;
  // The same uid, name, kind and apiVersion.
  bool Matches(const ObjectIdentity& identity) const;

  std::string api_version, kind, name, uid;
  bool blocks = false;  // blockOwnerDeletion
  value::Value tree;    // the whole reference
};
using Owners = std::vector<Owner>;

// The object's metadata.ownerReferences, and what they say.
const value::Value& ReferencesOf(const api::Object& object);
Owners OwnersOf(const api::Object& object);

// How the references of an object changed.
struct OwnersDiff {
  OwnersDiff() = default;
  Owners added, removed;
  std::vector<std::pair<Owner, Owner>> changed;  // before, after; of the same uid
};
OwnersDiff DiffOwners(const Owners& before, const Owners& after);

// The finalizers that stand for a propagation policy.
inline constexpr std::string_view kOrphanFinalizer = "orphan";
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

}  // namespace ksim::controllers
