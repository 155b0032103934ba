#include "tests/whole/churn/legal_rows.h"

#include <algorithm>

#include "ksim/base/time.h"

namespace ksim::churn {

using check::HandlerCall;
using check::Observation;
using Kind = sim::EventKind;

namespace {

constexpr Duration kFar = Seconds(5);

}  // namespace

std::string_view NameOf(Legal row) {
  static constexpr std::string_view kNames[] = {
      "versions skipped",  "never seen",     "another uid",          "the same version",
      "a stale tombstone", "told far apart", "restarted in the past"};
  return kNames[static_cast<std::size_t>(row)];
}

void LegalRows::Take(const Observation& o) {
  if (o.resource == "pods" && o.kind == Kind::kCommit) Commit(o);
  if (o.resource == "pods" && o.kind == Kind::kHandler) Handler(o);
  if (o.resource == "pods" && o.kind == Kind::kRelist) List(o);
  if (o.kind == Kind::kActor && o.state == "start") restarted_.insert(std::string(o.target));
}

void LegalRows::Commit(const Observation& o) {
  versions_[o.object].push_back(o.rv);
  if (o.op == check::CommitOp::kCreate) created_.emplace(o.uid);
  if (o.op == check::CommitOp::kDelete) deleted_.emplace(o.uid);
}

void LegalRows::Handler(const Observation& o) {
  told_.emplace(o.uid);
  const std::vector<std::int64_t>& versions = versions_[o.object];
  if (o.call == HandlerCall::kDelete) {
    const auto last = std::lower_bound(versions.begin(), versions.end(), o.rv);
    const bool stale = o.tombstone && versions.end() - last > 2;  // it, and its deletion
    if (stale) Found(Legal::kStaleTombstone);
    return;
  }
  if (o.call == HandlerCall::kUpdate) {
    const auto between = std::upper_bound(versions.begin(), versions.end(), o.old_rv);
    if (between != versions.end() && *between < o.rv) Found(Legal::kSkippedVersions);
    if (o.uid != o.old_uid) Found(Legal::kOtherUid);
    if (o.rv == o.old_rv) Found(Legal::kSameVersion);
  }
  const auto [first, is_first] =
      first_told_[std::string(o.informer)].try_emplace(Version(o.object, o.rv), o.t);
  if (!is_first && o.rv != o.old_rv && o.t - first->second > kFar.ns()) Found(Legal::kFarApart);
}

void LegalRows::List(const Observation& o) {
  std::int64_t& known = known_[std::string(o.actor)];
  if (restarted_.erase(std::string(o.actor)) > 0 && o.rv < known) Found(Legal::kRestartedInThePast);
  known = std::max(known, o.rv);
}

void LegalRows::Finish() {
  for (const std::string& uid : created_)
    if (deleted_.contains(uid) && !told_.contains(uid)) Found(Legal::kNeverSeen);
}

}  // namespace ksim::churn
