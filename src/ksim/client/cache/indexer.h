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
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "ksim/client/cache/key_view.h"
#include "ksim/client/informer.h"

namespace ksim::client {

inline constexpr std::string_view kNamespaceIndex = "namespace";

class Indexer : public Lister {
 public:
  // Holds objects of `resource`, which outlives it. `versioned`: the indexer tells its resource
  // version (only behind the atomic queue of 1.36, CLIENT-71).
  explicit Indexer(const api::ResourceInfo& resource, bool versioned = true)
      : resource_(resource), by_key_(0, HashOfKey(resource)), versioned_(versioned) {}
  Indexer(const Indexer&) = delete;
  Indexer& operator=(const Indexer&) = delete;

  const api::ResourceInfo& resource() const { return resource_; }
  // Puts or replaces the object under its key; what was there before (empty if nothing).
  api::Object Put(const api::Object& object);
  api::Object Erase(const api::Object& object);  // what was there under its key
  // Swaps contents; all indexes follow. Each key once.
  void Replace(const std::vector<api::Object>& objects, std::int64_t resource_version);
  void AddIndex(std::string name, IndexFunc function);  // KSIM_CHECK if the name is taken
  void set_resource_version(std::int64_t rv) { resource_version_ = rv; }

  const api::Object& Find(const api::Object& object) const;  // under its key; empty: not there
  const api::Object& GetByKey(std::string_view key) const;   // likewise
  std::vector<std::string> ListIndexFuncValues(std::string_view index) const;  // those with objects

  api::Object Get(std::string_view ns, std::string_view name) const override;
  std::vector<api::Object> List(std::string_view ns) const override;
  std::vector<api::Object> ByIndex(std::string_view index, std::string_view value) const override;
  bool HasIndex(std::string_view index) const override {
    return index == kNamespaceIndex || FindIndex(index) != nullptr;
  }
  std::size_t size() const override { return by_key_.size(); }
  std::int64_t last_synced_resource_version() const override {
    return versioned_ ? resource_version_ : 0;
  }
  // The version of the last object applied, list taken or bookmark seen.
  std::int64_t resource_version() const { return resource_version_; }

 private:
  // One of the cache's objects, at an address that stays.
  class Entry {
   public:
    explicit Entry(api::Object o) : object_(std::move(o)) {}
    const api::Object& object() const { return object_; }
    api::Object Exchange(api::Object o) { return std::exchange(object_, std::move(o)); }

   private:
    api::Object object_;
  };
  using Sorted = absl::btree_set<const Entry*, LessKey>;  // NOLINT(ksim-pointer-order): by key
  struct Index {
    std::string name;
    IndexFunc function;
    absl::btree_map<std::string, Sorted, std::less<>> values;
  };
  // The values that the index's function gives the object; they are in *values.
  static const IndexValues& ValuesOf(const api::Object& object, const Index& index,
                                     IndexValues* values);
  static void File(Index& index, const IndexValues& values, const Entry& entry);
  static void Unfile(Index& index, const IndexValues& values, const Entry& entry);
  const Index* FindIndex(std::string_view name) const;  // null: there is none
  static std::vector<api::Object> Objects(const Sorted& entries);
  const api::Object& ObjectAt(const KeyView& key) const;

  const api::ResourceInfo& resource_;
  KeySet<std::unique_ptr<Entry>> by_key_;
  Sorted sorted_;
  std::vector<Index> indexes_;
  IndexValues before_, after_;  // of the entry that changes
  std::int64_t resource_version_ = 0;
  bool versioned_;
};

}  // namespace ksim::client
