#include "ksim/check/commit_history.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/core/fields.h"
#include "ksim/base/hash.h"

namespace ksim::check {
namespace {

constexpr std::size_t kChunk = 256;

std::string_view NodeOfPod(const value::Value& tree) {
  return tree.Get(api::Fields().spec).Get(api::Fields().node_name).AsString();
}

}  // namespace

std::string CommittedChange::Name() const {
  if (ns.empty()) return fmt::format("{}/{}", resource, name);
  return fmt::format("{}/{}/{}", resource, ns, name);
}

std::string_view CommittedChange::uid() const {
  return state().Get(api::Fields().metadata).Get(api::Fields().uid).AsString();
}

void CommitHistory::Take(const Observation& o) {
  if (chunks_.empty() || chunks_.back().size() == kChunk) {
    chunks_.emplace_back();
    chunks_.back().reserve(kChunk);
  }
  CommittedChange& c = chunks_.back().emplace_back();
  c.seq = o.seq;
  c.t = o.t;
  c.revision = o.rv;
  c.prev_revision = o.prev_rv;
  c.object = o.object;
  c.request = o.request;
  c.op = o.op;
  c.resource = o.resource;
  c.ns = o.ns;
  c.name = o.name;
  c.by = o.by;
  if (o.before != nullptr) c.before = *o.before;
  if (o.after != nullptr) c.after = *o.after;
  Changes& all = by_resource_[Hash64(c.resource)];
  ObjectChanges& own = by_object_[c.object];
  if (c.resource == "pods") FileUnderNode(c, all.size());
  c.position = all.size();
  own.positions.push_back(c.position);
  own.changes.push_back(&c);
  all.push_back(&c);
  revision_ = std::max(revision_, c.revision);
  ++count_;
}

void CommitHistory::FileUnderNode(const CommittedChange& pod, std::size_t position) {
  const std::string_view before = NodeOfPod(pod.before), after = NodeOfPod(pod.after);
  if (!before.empty()) by_node_[Hash64(before)].push_back(position);
  if (!after.empty() && after != before) by_node_[Hash64(after)].push_back(position);
}

const Positions& CommitHistory::PositionsOf(std::uint64_t object) const {
  static const Positions none;
  const auto it = by_object_.find(object);
  return it == by_object_.end() ? none : it->second.positions;
}

const Positions& CommitHistory::OnNode(std::string_view node) const {
  static const Positions none;
  const auto it = by_node_.find(Hash64(node));
  return it == by_node_.end() ? none : it->second;
}

const Changes& CommitHistory::OfHash(std::uint64_t resource_hash) const {
  static const Changes none;
  const auto it = by_resource_.find(resource_hash);
  return it == by_resource_.end() ? none : it->second;
}

const CommittedChange* CommitHistory::Commit(std::uint64_t object, std::int64_t revision) const {
  const Changes& own = OfObject(object);
  // Mostly it is one of the newest.
  for (std::size_t i = own.size(); i-- > 0;) {
    if (own[i]->revision == revision) return own[i];
    if (own[i]->revision < revision) break;
  }
  return nullptr;
}

std::size_t CommitHistory::After(const Changes& of_resource, std::int64_t revision) {
  const auto it =
      std::upper_bound(of_resource.begin(), of_resource.end(), revision,
                       [](std::int64_t r, const CommittedChange* c) { return r < c->revision; });
  return static_cast<std::size_t>(it - of_resource.begin());
}

const CommittedChange* CommitHistory::Newest(std::uint64_t object) const {
  const auto it = by_object_.find(object);
  return it == by_object_.end() ? nullptr : it->second.changes.back();
}

const CommittedChange* CommitHistory::At(std::uint64_t object, std::int64_t revision) const {
  const Changes& own = OfObject(object);
  for (std::size_t i = own.size(); i-- > 0;)
    if (own[i]->revision <= revision) return own[i];
  return nullptr;
}

const Changes& CommitHistory::OfObject(std::uint64_t object) const {
  static const Changes none;
  const auto it = by_object_.find(object);
  return it == by_object_.end() ? none : it->second.changes;
}

std::string CommitHistory::NameOf(std::uint64_t object) const {
  const CommittedChange* c = Newest(object);
  return c == nullptr ? Hex(object) : c->Name();
}

}  // namespace ksim::check
