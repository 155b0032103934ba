// Object: one version of an API object: an immutable tree and, beside it, the envelope that every
// hop reads. Copying shares both. The tree never holds metadata.resourceVersion (stored bytes do
// not, API-03): it lives in the envelope and appears in ToTree().
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/base/internal/small_pool.h"
#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::api {

struct OwnerReference {
  OwnerReference() = default;
  std::string api_version, kind, name, uid;
  bool controller = false;
  bool block_owner_deletion = false;
};

class Object {
 public:
  Object() = default;  // empty(): no object
  // A tree as read from a file, the wire or the store. metadata.resourceVersion in it is moved to
  // the envelope unless `resource_version` is not 0.
  static Object FromTree(value::Value tree, std::int64_t resource_version = 0);
  // Takes metadata.resourceVersion out of a tree; 0 if there is none, or none that is a number.
  static std::int64_t TakeVersion(value::Value* tree);

  bool empty() const { return rep_ == nullptr; }
  const value::Value& tree() const;  // without resourceVersion; null Value if empty
  value::Value ToTree() const;       // with metadata.resourceVersion, as clients see it
  Object WithResourceVersion(std::int64_t rv) const;

  // --- envelope: computed once a version, O(1) to read ---
  std::int64_t resource_version() const;  // 0 = none
  std::string_view api_version() const;
  std::string_view kind() const;
  std::string_view ns() const;  // "" for cluster scope
  std::string_view name() const;
  std::string_view generate_name() const;
  std::string_view uid() const;
  std::int64_t generation() const;
  std::string_view node_name() const;  // spec.nodeName
  bool deleting() const;               // metadata.deletionTimestamp is set
  std::string key() const;             // "ns/name", or "name"
  // ObjectHash (kinds.h) of the object as one of `resource`: computed once a version.
  std::uint64_t KeyHash(const ResourceInfo& resource) const;
  const value::Value& labels() const;  // null Value if none
  const value::Value& annotations() const;

  // --- read from the tree on demand ---
  const value::Value& Get(const value::Path& path) const { return tree().Get(path); }
  const value::Value& metadata() const;
  const value::Value& spec() const;
  const value::Value& status() const;
  std::string_view Label(std::string_view name) const;       // "" if missing
  std::string_view Annotation(std::string_view name) const;  // "" if missing
  std::optional<OwnerReference> controller() const;          // the owner with controller=true
  std::vector<OwnerReference> owners() const;
  std::vector<std::string> finalizers() const;
  std::optional<VirtualTime> creation_time() const;  // one-second resolution
  std::optional<VirtualTime> deletion_time() const;

  bool SameVersion(const Object& o) const { return rep_ == o.rep_; }
  std::uint64_t Hash() const;  // of tree() and resource version

 private:
  struct Rep;  // with a count that is not atomic
  const Rep* rep_ = nullptr;

 public:
  Object(const Object& o) noexcept;
  Object(Object&& o) noexcept : rep_(o.rep_) { o.rep_ = nullptr; }
  Object& operator=(Object o) noexcept {
    std::swap(rep_, o.rep_);
    return *this;
  }
  ~Object() {
    if (rep_ != nullptr) Release();
  }

 private:
  explicit Object(const Rep* rep) : rep_(rep) {}
  void Release() noexcept;
  std::uint64_t HashKey(const ResourceInfo& resource) const;
};

// Everything points into `tree`, which the rep keeps alive: a new version of the same content
// shares it all.
struct Object::Rep : Pooled {
  // At the parts of `tree`; returns its metadata.resourceVersion, null if there is none.
  const value::Value* ReadEnvelope();

  mutable std::uint32_t refs : 31 = 1;
  std::uint32_t deleting : 1 = 0;
  mutable value::Atom hashed_as;       // the resource that key_hash is for; none if empty
  mutable std::uint64_t key_hash = 0;  // see KeyHash
  std::int64_t resource_version = 0;
  std::int64_t generation = 0;
  value::Value tree;
  const value::Value* api_version = nullptr;
  const value::Value* kind = nullptr;
  const value::Value* metadata = nullptr;
  const value::Value* ns = nullptr;
  const value::Value* name = nullptr;
  const value::Value* generate_name = nullptr;
  const value::Value* uid = nullptr;
  const value::Value* labels = nullptr;
  const value::Value* annotations = nullptr;
  const value::Value* node_name = nullptr;
};

inline Object::Object(const Object& o) noexcept : rep_(o.rep_) {
  if (rep_ != nullptr) ++rep_->refs;
}
inline void Object::Release() noexcept {
  if (--rep_->refs == 0) delete rep_;
}
inline std::int64_t Object::resource_version() const { return rep_ ? rep_->resource_version : 0; }
inline std::string_view Object::api_version() const {
  return rep_ ? rep_->api_version->AsString() : "";
}
inline std::string_view Object::kind() const { return rep_ ? rep_->kind->AsString() : ""; }
inline std::string_view Object::ns() const { return rep_ ? rep_->ns->AsString() : ""; }
inline std::string_view Object::name() const { return rep_ ? rep_->name->AsString() : ""; }
inline std::string_view Object::uid() const { return rep_ ? rep_->uid->AsString() : ""; }
inline std::uint64_t Object::KeyHash(const ResourceInfo& resource) const {
  const bool known = rep_ != nullptr && rep_->hashed_as == resource.known_as_atom &&
                     rep_->hashed_as != value::Atom();
  return known ? rep_->key_hash : HashKey(resource);
}

}  // namespace ksim::api
