#include "ksim/check/oracles/workloads/creations.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "ksim/api/core/fields.h"
#include "ksim/base/hash.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {

using value::Value;

namespace {

std::string_view MakerOf(std::string_view actor) { return actor.substr(0, actor.find('/')); }

bool IsActivePod(const Value& pod) {
  if (pod.is_null() ||
      pod.Get(api::Fields().metadata).Find(api::Fields().deletion_timestamp) != nullptr)
    return false;
  const std::string_view p = pod.Get(api::Fields().status).Get(api::Fields().phase).AsString();
  return p != "Succeeded" && p != "Failed";
}

bool KnewOf(const Listener* told, std::uint64_t pod, std::uint64_t decided) {
  if (told == nullptr) return false;
  const auto it = told->view.find(pod);
  return it != told->view.end() && it->second.since <= decided;
}

}  // namespace

std::string_view Creations::OwnerOf(const Value& pod) const {
  if (!IsActivePod(pod)) return {};
  for (const Value& owner :
       pod.Get(api::Fields().metadata).Get(api::Fields().owner_references).items())
    if (owner.Get("controller").AsBool() && owner.Get("kind").AsString() == kind_)
      return owner.Get("uid").AsString();
  return {};
}

std::uint64_t Creations::GroupOf(std::string_view owner, const Value& pod) const {
  const std::string place = PlaceOf(pod);
  return Hash64(place.empty() ? std::string(owner) : fmt::format("{}/{}", owner, place));
}

void Creations::On(const Facts& facts, const Observation& o) {
  if (o.kind == sim::EventKind::kCommit) {
    if (o.resource == resource_) OnOwner(o);
    if (o.resource == "pods") OnPod(facts, o);
  } else if (o.kind == sim::EventKind::kRequest) {
    if (o.verb == "create" && o.resource == "pods") OnRequest(o);
  } else if (o.kind == sim::EventKind::kResponse) {
    OnResponse(o);
  } else if (o.state == "start" || o.state == "lead") {
    started_[std::string(o.target)] = o.seq;  // a standby's informers begin when it leads
  } else if (o.state != "lose") {
    OnDeath(o.target);
  }
}

void Creations::OnOwner(const Observation& o) {
  Owner& owner = owners_[Hash64(o.uid)];
  if (owner.name.empty()) owner.name = ObjectOf(o);
  if (!o.after->is_null()) owner.most = std::max(owner.most, AskedBy(*o.after));
}

void Creations::OnRequest(const Observation& o) {
  Pending& pending = pending_[o.request];
  pending.by = o.actor;
  pending.decided = o.cause != 0 ? o.cause : o.seq;
}

void Creations::OnPod(const Facts& facts, const Observation& o) {
  const std::string_view before = OwnerOf(*o.before);
  const std::string_view after = OwnerOf(*o.after);
  if (!before.empty() && before != after)
    groups_[GroupOf(before, *o.before)].active.erase(o.object);
  if (after.empty()) return;
  const std::uint64_t key = GroupOf(after, *o.after);
  Group& group = groups_[key];
  group.active.try_emplace(o.object, Made{o.seq, std::string(MakerOf(o.by))});
  if (o.op != CommitOp::kCreate) return;
  Judged();
  const std::uint64_t decided = o.request != 0 ? ComesTrue(o, key, &group) : o.seq;
  // An owner that is gone, or never was, asked for none that could be counted.
  const Owner& owner = owners_[Hash64(after)];
  const std::int64_t bound = owner.most + group.unknown;
  if (owner.name.empty() || group.reported || std::ssize(group.active) <= bound) return;
  const std::int64_t have = Countable(facts, group, o, decided);  // no more than all of them
  if (have <= bound) return;
  group.reported = true;
  Violate(o.seq, std::string(o.by),
          fmt::format("{} creates {} and {}{}", o.by, ObjectOf(o),
                      Describe(have, owner.name, *o.after, owner.most), Views(facts, group, o)),
          {ObjectOf(o), owner.name});
}

std::int64_t Creations::Countable(const Facts& facts, const Group& group, const Observation& o,
                                  std::uint64_t decided) const {
  auto have = static_cast<std::int64_t>(group.active.size());
  const auto start = started_.find(MakerOf(o.by));
  if (start == started_.end()) return have;
  const Listener* told = nullptr;  // null: of nothing
  for (const Informer* i : facts.informers())
    if (i->process == start->first && i->resource == "pods" && !i->listeners.empty())
      told = i->listeners.front().get();
  for (const auto& [pod, made] : group.active) {
    const bool others = made.seq < start->second || made.process != start->first;
    have -= others && !KnewOf(told, pod, decided);
  }
  return have;
}

std::string Creations::Views(const Facts& facts, const Group& group, const Observation& o) {
  const std::string_view process = MakerOf(o.by);
  for (const Informer* i : facts.informers()) {
    if (i->process != process || i->resource != "pods" || i->listeners.empty()) continue;
    std::int64_t known = 0;
    for (const auto& [pod, made] : group.active) known += i->listeners.front()->view.contains(pod);
    return fmt::format(" ({} was told of {} of them, up to revision {})", i->name, known,
                       i->served);
  }
  return "";
}

std::uint64_t Creations::ComesTrue(const Observation& o, std::uint64_t key, Group* group) {
  Pending& pending = pending_[o.request];
  pending.group = key;
  pending.by = o.by;
  const std::uint64_t decided = pending.decided != 0 ? pending.decided : o.seq;
  if (!pending.given_up) return decided;
  ++group->unknown;
  pending_.erase(o.request);
  return decided;
}

void Creations::OnResponse(const Observation& o) {
  const auto it = pending_.find(o.request);
  if (it == pending_.end()) return;
  if (o.lost || o.code < 200 || o.code >= 300)
    GiveUp(it);
  else
    pending_.erase(it);
}

Creations::Creation Creations::GiveUp(Creation it) {
  if (it->second.group == 0) {
    it->second.given_up = true;
    return ++it;
  }
  ++groups_[it->second.group].unknown;
  return pending_.erase(it);
}

void Creations::OnDeath(std::string_view process) {
  for (auto it = pending_.begin(); it != pending_.end();) {
    if (MakerOf(it->second.by) != process) {
      ++it;
      continue;
    }
    it = GiveUp(it);
  }
}

}  // namespace ksim::check
