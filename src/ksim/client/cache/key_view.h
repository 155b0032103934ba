// Keys of objects without a text of their own: `namespace/name` is read from the object, and its
// hash is the one that the object keeps (api::Object::KeyHash).
#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "ksim/api/kinds.h"
#include "ksim/api/object.h"

namespace ksim::client {

// The two halves of "namespace/name", of an object or of a text, which it views. Orders and
// compares as that text.
struct KeyView {
  KeyView(std::string_view n, std::string_view m) : ns(n), name(m) {}
  explicit KeyView(const api::Object& o) : ns(o.ns()), name(o.name()) {}
  explicit KeyView(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash != std::string_view::npos) ns = text.substr(0, slash);
    name = slash == std::string_view::npos ? text : text.substr(slash + 1);
  }
  std::string_view ns, name;

  friend bool operator==(const KeyView& a, const KeyView& b) {
    return Same(a.name, b.name) && Same(a.ns, b.ns);
  }
  // '/' stands after the shorter of two namespaces, which is not their own order.
  bool operator<(const KeyView& other) const {
    if (Same(ns, other.ns)) return name < other.name;
    const std::size_t common = std::min(ns.size(), other.ns.size());
    const int order = ns.substr(0, common).compare(other.ns.substr(0, common));
    if (order != 0) return order < 0;
    return ns.size() < other.ns.size() ? '/' < other.ns[common] : ns[common] < '/';
  }

 private:
  // Versions of one object share the bytes.
  static bool Same(std::string_view a, std::string_view b) {
    return (a.data() == b.data() && a.size() == b.size()) || a == b;
  }
};

// A table of objects finds an object by another Object, a pointer to one, a pointer to something
// with an object(), or a KeyView.
struct ByKey {
  using is_transparent = void;
  // NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): the caller has it
  static const KeyView& Of(const KeyView& k) { return k; }
  static KeyView Of(const api::Object& o) { return KeyView(o); }
  static KeyView Of(const api::Object* o) { return KeyView(*o); }
  template <class Holder>
  static KeyView Of(const Holder& h) {
    return KeyView(h->object());
  }
};

struct HashOfKey : ByKey {
  explicit HashOfKey(const api::ResourceInfo& r) : resource(&r) {}
  const api::ResourceInfo* resource;
  std::size_t operator()(const api::Object& o) const { return o.KeyHash(*resource); }
  std::size_t operator()(const api::Object* o) const { return o->KeyHash(*resource); }
  std::size_t operator()(const KeyView& k) const {
    return api::ObjectHash(resource->known_as(), k.ns, k.name);
  }
  template <class Holder>
  std::size_t operator()(const Holder& h) const {
    return h->object().KeyHash(*resource);
  }
};

struct SameKey : ByKey {
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return Of(a) == Of(b);
  }
};

struct LessKey : ByKey {
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return Of(a) < Of(b);
  }
};

// Looked up only, never walked.
template <class T>
using KeySet = absl::flat_hash_set<T, HashOfKey, SameKey>;

}  // namespace ksim::client
