// Collection: what a list or watch is about: a resource, a namespace, a name, selectors; and its
// content at any revision of a History.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/base/internal/shared_text.h"
#include "ksim/check/commit_history.h"
#include "ksim/value/selector.h"

namespace ksim::check {

// The meaning of a change to a watcher of a collection.
enum class Meaning : std::uint8_t { kNothing, kAdded, kModified, kDeleted };

class Collection {
 public:
  Collection() = default;
  // `resource` as events name it. judgeable() is false if the selectors cannot be understood.
  Collection(std::string_view resource, std::string_view ns, std::string_view name,
             std::string_view labels, std::string_view fields);

  // A collection that cannot be judged (a watch with filters of etcd's own).
  static Collection Opaque(std::string_view resource);

  bool judgeable() const { return judgeable_; }
  const std::string& resource() const { return resource_; }
  // The changes of the resource.
  const ResourceChanges& ChangesIn(const CommitHistory& history) const {
    return history.OfHash(resource_hash_);
  }
  bool everything() const { return everything_; }
  std::uint64_t resource_hash() const { return resource_hash_; }
  bool Has(const CommittedChange& of, const value::Value& tree) const;
  // A change that moves an object in is ADDED, one that moves it out DELETED.
  Meaning Of(const CommittedChange& change) const;
  // The first position in [from, to) whose change means something to a watcher; kNone if none does.
  // Changes that are forgotten mean nothing.
  std::size_t FirstIn(const CommitHistory& history, std::size_t from, std::size_t to) const;
  // Whether the history can tell the content at a revision.
  bool IsKnownAt(const CommitHistory& history, std::int64_t revision) const {
    return revision >= ChangesIn(history).floor;
  }
  // The content at a revision, by object key (namespace/name): each object's last change.
  std::vector<const CommittedChange*> ContentAt(const CommitHistory& history,
                                                std::int64_t revision) const;
  // "pods in default with app=web"
  std::string ToString() const;

 private:
  bool ReadSelectors(std::string_view labels, std::string_view fields);
  // The changes beside which none can mean anything; null = any can.
  const Changes* Candidates(const CommitHistory& history) const;

  std::string resource_;
  SharedText ns_, name_, label_text_, field_text_;  // mostly empty
  value::LabelSelector labels_;
  value::FieldSelector fields_;
  std::uint64_t resource_hash_ = 0;
  std::string node_;          // every match has this spec.nodeName; "" = not demanded
  std::uint64_t object_ = 0;  // the only one that can match; 0 = not known
  bool everything_ = true, judgeable_ = true;
};

// itemsHash of such content, as `response`, `relist` and `cache` events carry it.
std::uint64_t HashOfContent(const std::vector<const CommittedChange*>& content);

}  // namespace ksim::check
