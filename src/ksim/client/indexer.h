// Indexer: the cache of one informer: objects by key, and under the values of index functions.
// Results are in key order. The index `namespace` is always there; it needs no structure of its
// own, since keys begin with the namespace.
//
// Invariants
//  1. For every index the inverted map equals recomputation from the objects (G-CC4).
//  2. An index value without objects has no entry.
//
// An object costs its entry and a pointer in the hash table, in the sorted set and in each index:
// keys are read from the objects.
//
// Source: client-go tools/cache/thread_safe_store.go, index.go, listers.go. CLIENT-73..79.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_set.h"
#include "ksim/base/hash.h"
#include "ksim/client/informer.h"

namespace ksim::client {

inline constexpr std::string_view kNamespaceIndex = "namespace";

class Indexer : public Lister {
 public:
  // `versioned`: tells its resource version (the atomic queue of 1.36 only, CLIENT-71).
  explicit Indexer(bool versioned = true) : versioned_(versioned) {}
  Indexer(const Indexer&) = delete;
  Indexer& operator=(const Indexer&) = delete;

  // Puts or replaces the object under its key; what was there before (empty if nothing).
  api::Object Put(const std::string& key, const api::Object& object);
  api::Object Erase(const std::string& key);  // what was there
  // Swaps contents; all indexes follow. Each key once.
  void Replace(const std::vector<api::Object>& objects, std::int64_t resource_version);
  void AddIndex(std::string name, IndexFunc function);  // KSIM_CHECK if the name is taken
  void set_resource_version(std::int64_t rv) { resource_version_ = rv; }

  const api::Object& GetByKey(std::string_view key) const;  // empty: not there
  std::vector<std::string> ListKeys() const;
  std::vector<std::string> IndexValues(std::string_view index) const;  // those with objects

  api::Object Get(std::string_view ns, std::string_view name) const override;
  std::vector<api::Object> List(std::string_view ns) const override;
  std::vector<api::Object> ByIndex(std::string_view index, std::string_view value) const override;
  bool HasIndex(std::string_view index) const override {
    return index == kNamespaceIndex || indexes_.contains(index);
  }
  std::size_t size() const override { return by_key_.size(); }
  std::int64_t last_synced_resource_version() const override {
    return versioned_ ? resource_version_ : 0;
  }
  // Of the last object applied, list taken or bookmark seen.
  std::int64_t resource_version() const { return resource_version_; }

 private:
  struct Entry {
    explicit Entry(api::Object o) : object(std::move(o)) {}
    api::Object object;
  };
  using Owned = std::unique_ptr<Entry>;

  // The two halves of "ns/name", of an entry or of a text; orders and hashes as that text.
  struct Key {
    explicit Key(std::string_view text);
    Key(std::string_view n, std::string_view m) : ns(n), name(m) {}
    explicit Key(const Entry& e) : ns(e.object.ns()), name(e.object.name()) {}
    std::string_view ns, name;
    friend bool operator==(const Key&, const Key&) = default;
    bool operator<(const Key& other) const;
  };
  struct ByKey {
    using is_transparent = void;
    static const Key& Of(const Key& k) { return k; }
    static Key Of(const Owned& e) { return Key(*e); }
    static Key Of(const Entry* e) { return Key(*e); }
  };
  struct HashOfKey : ByKey {
    template <class T>
    std::size_t operator()(const T& t) const {
      const Key& key = Of(t);
      return static_cast<std::size_t>(Hash64(key.name) + 31 * Hash64(key.ns));
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
  using Sorted = absl::btree_set<const Entry*, LessKey>;  // NOLINT(ksim-pointer-order): by key
  struct Index {
    IndexFunc function;
    absl::btree_map<std::string, Sorted, std::less<>> values;
  };
  static void File(Index& index, const std::vector<std::string>& values, const Entry& entry);
  static void Unfile(Index& index, const std::vector<std::string>& values, const Entry& entry);
  static std::vector<api::Object> Objects(const Sorted& entries);

  // Entries have stable addresses.
  absl::flat_hash_set<Owned, HashOfKey, SameKey> by_key_;  // looked up only
  Sorted sorted_;
  absl::btree_map<std::string, Index, std::less<>> indexes_;
  std::int64_t resource_version_ = 0;
  bool versioned_;
};

}  // namespace ksim::client
