// Lists and maps that expressions make, and those that documents without a schema are.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ksim/cel/values/val.h"

namespace ksim::cel {

class VectorList : public ListNode {
 public:
  explicit VectorList(std::vector<Val> v) : items(std::move(v)) {}
  std::size_t size() const override { return items.size(); }
  Val at(std::size_t i) const override { return items[i]; }

  std::vector<Val> items;
};

// Entries in the order in which they were made; lookup by hash, which no order depends on.
class EntryMap : public MapNode {
 public:
  explicit EntryMap(std::vector<std::pair<Val, Val>> entries);
  std::size_t size() const override { return entries_.size(); }
  Val key(std::size_t i) const override { return entries_[i].first; }
  Val value(std::size_t i) const override { return entries_[i].second; }
  std::optional<Val> Find(const Val& key) const override;
  // False: the key is there already.
  bool Insert(const Val& key, const Val& v);

 private:
  std::vector<std::pair<Val, Val>> entries_;
  absl::flat_hash_map<std::string, std::size_t> places_;
};

class TreeList : public ListNode {
 public:
  explicit TreeList(value::Value tree) : tree_(std::move(tree)) {}
  std::size_t size() const override { return tree_.size(); }
  Val at(std::size_t i) const override { return FromTree(tree_.at(i)); }

 private:
  value::Value tree_;
};

class TreeMap : public MapNode {
 public:
  explicit TreeMap(value::Value tree) : tree_(std::move(tree)) {}
  std::size_t size() const override { return tree_.size(); }
  Val key(std::size_t i) const override { return Val::String(tree_.member(i).name.text()); }
  Val value(std::size_t i) const override { return FromTree(tree_.member(i).value); }
  std::optional<Val> Find(const Val& key) const override;

 private:
  value::Value tree_;
};

}  // namespace ksim::cel
