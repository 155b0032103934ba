#include "ksim/check/commit_history.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/core/fields.h"
#include "ksim/base/hash.h"

namespace ksim::check {
namespace {

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

std::size_t ResourceChanges::After(std::int64_t revision) const {
  const std::size_t index = CommitHistory::After(list, revision);
  return first + (index > kept ? index - kept : 0);
}

CommitHistory::~CommitHistory() {
  for (const auto& [hash, all] : by_resource_)
    for (const CommittedChange* change : all.list) delete change;
}

void CommitHistory::Take(const Observation& o) {
  auto* const change = new CommittedChange;
  CommittedChange& c = *change;
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
  ResourceChanges& all = by_resource_[Hash64(c.resource)];
  c.position = all.end();
  all.list.push_back(change);
  by_object_[c.object].push_back(change);
  if (c.resource == "pods") FileUnderNode(c);
  revision_ = std::max(revision_, c.revision);
}

void CommitHistory::FileUnderNode(const CommittedChange& pod) {
  const std::string_view before = NodeOfPod(pod.before), after = NodeOfPod(pod.after);
  if (!before.empty()) by_node_[Hash64(before)].push_back(&pod);
  if (!after.empty() && after != before) by_node_[Hash64(after)].push_back(&pod);
}

void CommitHistory::Forget(std::int64_t revision,
                           const absl::flat_hash_map<std::uint64_t, std::size_t>& held) {
  for (auto& [resource, all] : by_resource_) {
    std::size_t end = all.After(revision);
    if (const auto it = held.find(resource); it != held.end()) end = std::min(end, it->second);
    if (end > all.first) ForgetBefore(end, &all);
  }
}

// The state before `end` stays: of each object its newest commit, unless that is its deletion.
void CommitHistory::ForgetBefore(std::size_t end, ResourceChanges* all) {
  Changes forgotten;
  for (std::size_t i = all->first; i < end; ++i) {
    const CommittedChange* const newest = all->at(i);
    Changes& own = by_object_[newest->object];
    auto older = std::find(own.begin(), own.end(), newest);
    if (newest->after.is_null()) ++older;
    forgotten.insert(forgotten.end(), own.begin(), older);
    own.erase(own.begin(), older);
    if (own.empty()) by_object_.erase(newest->object);
  }
  all->floor = all->at(end - 1)->revision;
  if (all->floor > forgotten_revision_) {
    forgotten_revision_ = all->floor;
    forgotten_seq_ = all->at(end - 1)->seq;
  }
  const auto gone = [this, end](const CommittedChange* c) { return !IsKnown(*c, end); };
  const auto before_end =
      all->list.begin() + static_cast<std::ptrdiff_t>(all->kept + end - all->first);
  const auto kept_end = std::remove_if(all->list.begin(), before_end, gone);
  all->kept = static_cast<std::size_t>(kept_end - all->list.begin());
  all->list.erase(kept_end, before_end);
  all->first = end;
  if (!forgotten.empty() && forgotten.front()->resource == "pods") {
    for (auto& [node, pods] : by_node_) std::erase_if(pods, gone);
    absl::erase_if(by_node_, [](const auto& entry) { return entry.second.empty(); });
  }
  for (const CommittedChange* change : forgotten) delete change;
}

// An object has one commit before `end` at most, its first.
bool CommitHistory::IsKnown(const CommittedChange& change, std::size_t end) const {
  if (change.position >= end) return true;
  const Changes& own = OfObject(change.object);
  return !own.empty() && own.front() == &change;
}

std::size_t CommitHistory::known() const {
  std::size_t n = 0;
  for (const auto& [hash, all] : by_resource_) n += all.list.size();
  return n;
}

const Changes& CommitHistory::OnNode(std::string_view node) const {
  static const Changes none;
  const auto it = by_node_.find(Hash64(node));
  return it == by_node_.end() ? none : it->second;
}

const ResourceChanges& CommitHistory::OfHash(std::uint64_t resource_hash) const {
  static const ResourceChanges none;
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
  return it == by_object_.end() ? nullptr : it->second.back();
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
  return it == by_object_.end() ? none : it->second;
}

std::string CommitHistory::NameOf(std::uint64_t object) const {
  const CommittedChange* c = Newest(object);
  return c == nullptr ? Hex(object) : c->Name();
}

}  // namespace ksim::check
