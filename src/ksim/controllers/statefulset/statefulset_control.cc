#include "ksim/controllers/statefulset/statefulset_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/container/btree_set.h"
#include "ksim/api/patch_schema.h"
#include "ksim/api/pod.h"
#include "ksim/api/schema/go_form.h"
#include "ksim/api/strategy/defaulting.h"
#include "ksim/client/core/backoff.h"
#include "ksim/controllers/history/controller_revision.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/probe.h"
#include "ksim/value/patch.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

namespace {

bool IsFinished(const api::Object& pod, const Profile& profile) {
  const std::string_view phase = api::PodView(pod).phase();
  return phase == "Failed" || (phase == "Succeeded" && profile.set_waits_for_finished_pods);
}

std::vector<std::string> TextsOf(const std::optional<api::Status>& error) {
  if (!error) return {};
  return {error->message.str()};
}

}  // namespace

// A pass over a set. It lives in the frame of Update, and with it all that its calls point to.
struct StatefulSetControl::Pass {
  Pass() = default;
  api::Object set;
  SetRevisions revisions;
  bool monotonic = true;  // OrderedReady
  VirtualTime now;
  Duration min_ready;
  std::vector<api::Object> replicas;   // one for each ordinal; without a phase: to be created
  std::vector<api::Object> condemned;  // beyond the ordinals, the highest first
  std::string first_unhealthy;         // its name; "" = none
  StatefulSetStatus status;
};

struct StatefulSetControl::Step {
  Step() = default;  // go on
  explicit Step(bool stop) : exit(stop) {}
  explicit Step(const std::optional<api::Status>& error)
      : exit(error.has_value()), errors(TextsOf(error)) {}
  bool exit = false;
  std::vector<std::string> errors;
};

// The calls of one batch report here to the pass that waits for them.
struct StatefulSetControl::Batch {
  explicit Batch(sim::Simulation& sim) : finished(sim) {}
  std::int64_t running = 0;
  std::vector<std::string> errors;
  sim::Signal finished;
};

StatefulSetControl::StatefulSetControl(const ControllerContext& context, client::Client& client,
                                       client::SharedInformer& sets, SetPodControl& pods,
                                       ControllerHistory& history, ConsistencyStore& consistency,
                                       const Profile& profile)
    : process_(context.process),
      part_(context.name),
      client_(client),
      sets_(sets),
      pods_(pods),
      history_(history),
      consistency_(consistency),
      profile_(profile),
      replaces_broken_(client.connection().env().variants.sts_broken_rollback ==
                       api::Variants::BrokenRollback::kReplace) {}

sim::Task<StatefulSetControl::Outcome> StatefulSetControl::Update(api::Object set,
                                                                  value::LabelSelector selector,
                                                                  std::vector<api::Object> pods,
                                                                  VirtualTime now) {
  Outcome outcome;
  // 1. The revisions of the template.
  History history;
  history.revisions = history_.List(set, selector);
  SortRevisions(&history.revisions);
  co_await FindRevisions(set, &history);
  outcome.errors = history.errors;

  // 2. The pods, and what they come to.
  if (outcome.errors.empty()) {
    Pass pass;
    pass.set = set;
    pass.now = now;
    pass.min_ready = SetMinReady(set);
    pass.monotonic = set.spec().Get("podManagementPolicy").AsString() != "Parallel";
    pass.revisions.current_set = WithRevision(set, history.current);
    pass.revisions.update_set = WithRevision(set, history.update);
    pass.revisions.current = std::string(history.current.name());
    pass.revisions.update = std::string(history.update.name());
    pass.status.observed_generation = set.generation();
    pass.status.current_revision = pass.revisions.current;
    pass.status.update_revision = pass.revisions.update;
    pass.status.collisions = history.collisions;
    if (pass.revisions.current_set.empty() || pass.revisions.update_set.empty()) {
      outcome.errors.emplace_back("Invalid JSON document");
    } else {
      pass.status.Count(pods, pass.min_ready, Now(pass), profile_);
      SortPods(&pass, pods);
      outcome.errors = co_await UpdatePods(&pass);

      // 3. The status, also where the pods did not go as they should.
      pass.status.CompleteRollingUpdate(set, profile_);
      outcome.status = pass.status;
      if (pass.status.DiffersFrom(set)) {
        std::optional<api::Status> unwritten = co_await WriteStatus(set, pass.status);
        if (outcome.errors.empty()) outcome.errors = TextsOf(unwritten);
      }
    }
  }

  // 4. The revisions that are too many.
  std::optional<api::Status> undeleted = co_await TruncateHistory(set, pods, &history);
  if (undeleted) outcome.errors.push_back(undeleted->message.str());
  co_return outcome;
}

// --- revisions ---------------------------------------------------------------------------------

sim::Task<void> StatefulSetControl::FindRevisions(const api::Object& set, History* history) {
  static const Path kAnnotations{"metadata", "annotations"};
  const StatefulSetStatus status = StatefulSetStatus::From(set);
  history->collisions = status.collisions;
  const std::vector<api::Object>& revisions = history->revisions;

  const Value data = TemplatePatch(*sets_.resource(), set, profile_.compat);
  api::Object proposed = NewRevision(set, data, NextRevisionNumber(revisions), history->collisions);
  if (!set.annotations().empty())
    proposed = api::Object::FromTree(proposed.tree().Set(kAnnotations, set.annotations()));

  const auto equal = std::find_if(revisions.rbegin(), revisions.rend(), [&](const api::Object& r) {
    return EqualRevisions(r, proposed, profile_);
  });
  if (equal != revisions.rend() && EqualRevisions(revisions.back(), *equal, profile_)) {
    history->update = revisions.back();
  } else if (equal != revisions.rend()) {
    // The template has gone back to an earlier one: that becomes the latest.
    const api::Object earlier = *equal;
    client::Client::ObjectResult renumbered =
        co_await history_.SetNumber(earlier, RevisionNumber(proposed));
    if (!renumbered.ok()) {
      history->errors = TextsOf(renumbered.status());
      co_return;
    }
    history->update = *renumbered;
  } else if (!revisions.empty() && MatchesLatest(set, proposed, revisions.back())) {
    history->update = revisions.back();
  } else {
    client::Client::ObjectResult created =
        co_await history_.Create(set, proposed, &history->collisions);
    if (!created.ok()) {
      history->errors = TextsOf(created.status());
      co_return;
    }
    history->update = *created;
  }
  history->current = history->update;
  for (const api::Object& revision : revisions) {
    if (revision.name() != status.current_revision) continue;
    history->current = revision;
    break;
  }
}

// setMatchesLatestExistingRevision: going back to the latest revision would give the same template,
// though its bytes are others.
bool StatefulSetControl::MatchesLatest(const api::Object& set, const api::Object& proposed,
                                       const api::Object& latest) const {
  if (!profile_.compares_revisions_by_meaning) return false;
  const api::Object restored = WithRevision(set, latest);
  if (restored.empty()) return false;
  const api::Object defaulted = api::Object::FromTree(
      api::ApplyDefaults(*sets_.resource(), restored.tree(), profile_.compat));
  return TemplatePatch(*sets_.resource(), defaulted, profile_.compat) == RevisionData(proposed);
}

api::Object StatefulSetControl::WithRevision(const api::Object& set,
                                             const api::Object& revision) const {
  const absl::StatusOr<Value> patched = value::ApplyStrategicMergePatch(
      set.tree(), RevisionData(revision), api::FindPatchSchema(set.api_version(), set.kind()));
  if (!patched.ok()) return {};
  // The patch has Go's form, which the tree of a set has not.
  const Value tree = api::InFormOf(*sets_.resource(), set.tree(), *patched);
  return api::Object::FromTree(tree, set.resource_version());
}

sim::Task<std::optional<api::Status>> StatefulSetControl::TruncateHistory(
    api::Object set, std::vector<api::Object> pods, const History* history) {
  absl::btree_set<std::string, std::less<>> live;
  if (!history->current.empty()) live.emplace(history->current.name());
  if (!history->update.empty()) live.emplace(history->update.name());
  for (const api::Object& pod : pods) live.emplace(RevisionOf(pod));
  std::vector<api::Object> dead;
  for (const api::Object& revision : history->revisions)
    if (!live.contains(revision.name())) dead.push_back(revision);

  const std::int64_t limit = set.spec().Get("revisionHistoryLimit").AsInt();
  const auto count = static_cast<std::int64_t>(dead.size());
  if (limit < 0 || count <= limit) co_return std::nullopt;
  dead.resize(static_cast<std::size_t>(count - limit));
  for (const api::Object& revision : dead) {
    std::optional<api::Status> error = co_await history_.Delete(revision);
    if (error) co_return error;
  }
  co_return std::nullopt;
}

// --- pods --------------------------------------------------------------------------------------

VirtualTime StatefulSetControl::Now(const Pass& pass) const {
  return profile_.set_has_one_time ? pass.now : process_.Now();
}

bool StatefulSetControl::Unhealthy(const Pass& pass, const api::Object& pod) const {
  if (pod.deleting()) return true;
  if (!profile_.set_update_waits_for_available) return !IsRunningAndReady(pod);
  return !IsRunningAndAvailable(pod, pass.min_ready, Now(pass), profile_);
}

void StatefulSetControl::CountPods(Pass* pass) const {
  pass->status.ClearCounts();
  pass->status.Count(pass->replicas, pass->min_ready, Now(*pass), profile_);
  pass->status.Count(pass->condemned, pass->min_ready, Now(*pass), profile_);
}

void StatefulSetControl::SortPods(Pass* pass, const std::vector<api::Object>& pods) const {
  const std::int64_t start = StartOrdinal(pass->set, profile_);
  pass->replicas.resize(static_cast<std::size_t>(SetReplicas(pass->set)));
  for (const api::Object& pod : pods) {
    const std::int64_t ordinal = OrdinalOf(pod);
    if (IsInOrdinalRange(pass->set, pod, profile_)) {
      pass->replicas[static_cast<std::size_t>(ordinal - start)] = pod;
    } else if (ordinal >= 0) {
      pass->condemned.push_back(pod);
    }
  }
  for (std::size_t i = 0; i < pass->replicas.size(); ++i) {
    if (!pass->replicas[i].empty()) continue;
    pass->replicas[i] = NewSetPod(pass->revisions, start + static_cast<std::int64_t>(i), profile_);
  }
  std::stable_sort(
      pass->condemned.begin(), pass->condemned.end(),
      [](const api::Object& a, const api::Object& b) { return OrdinalOf(a) > OrdinalOf(b); });
  // The lowest of the replicas, or else of the condemned.
  const auto unhealthy = [&](const api::Object& pod) { return Unhealthy(*pass, pod); };
  const auto replica = std::find_if(pass->replicas.begin(), pass->replicas.end(), unhealthy);
  const auto other = std::find_if(pass->condemned.rbegin(), pass->condemned.rend(), unhealthy);
  if (replica != pass->replicas.end()) {
    pass->first_unhealthy = std::string(replica->name());
  } else if (other != pass->condemned.rend()) {
    pass->first_unhealthy = std::string(other->name());
  }
}

sim::Task<std::vector<std::string>> StatefulSetControl::UpdatePods(Pass* pass) {
  if (pass->set.deleting()) co_return std::vector<std::string>();

  // 1. Each replica in turn: created, mended, waited for.
  const std::size_t replicas = pass->replicas.size(), condemned = pass->condemned.size();
  Step step = co_await RunForAll(pass, replicas, &StatefulSetControl::ProcessReplica);
  // 2. The claims of those that are to go.
  const bool fixes = !step.exit && profile_.set_claim_retention;
  if (fixes) {
    step = co_await RunForAll(pass, condemned, &StatefulSetControl::FixClaims);
  }
  // 3. Those that are to go, the highest first. Scaling comes before updates.
  if (!step.exit) {
    step = co_await RunForAll(pass, condemned, &StatefulSetControl::ProcessCondemned);
  }
  CountPods(pass);
  if (step.exit) co_return step.errors;

  // 4. The update.
  const Value& type = pass->set.spec().Get("updateStrategy").Get("type");
  if (type.AsString() == "OnDelete") co_return std::vector<std::string>();
  co_return co_await RollOut(pass);
}

// runForAll: in order up to the first that stops it, or in batches (slowStartBatch) of which only
// errors stop the next.
sim::Task<StatefulSetControl::Step> StatefulSetControl::RunForAll(Pass* pass, std::size_t count,
                                                                  StepFunction step) {
  if (pass->monotonic) {
    for (std::size_t i = 0; i < count; ++i) {
      sim::Task<Step> task = (this->*step)(pass, i);
      Step done = co_await std::move(task);
      if (done.exit) co_return done;
    }
    co_return Step();
  }
  Batch batch(process_.simulation());
  std::size_t next = 0;
  std::int64_t remaining = static_cast<std::int64_t>(count);
  std::int64_t size = std::min<std::int64_t>(remaining, 1);
  while (size > 0) {
    batch.running = size;
    for (std::int64_t i = 0; i < size; ++i)
      process_.Spawn(RunOne(&batch, pass, step, next++), part_);
    while (batch.running > 0) co_await batch.finished.Wait();
    if (!batch.errors.empty()) break;
    remaining -= size;
    size = std::min({2 * size, remaining, kMaxSetBatch});
  }
  Step all;
  all.exit = !batch.errors.empty();
  all.errors = batch.errors;
  co_return all;
}

sim::Task<void> StatefulSetControl::RunOne(Batch* batch, Pass* pass, StepFunction step,
                                           std::size_t i) {
  sim::Task<Step> task = (this->*step)(pass, i);
  const Step done = co_await std::move(task);
  batch->errors.insert(batch->errors.end(), done.errors.begin(), done.errors.end());
  if (--batch->running == 0) batch->finished.Notify();
}

sim::Task<StatefulSetControl::Step> StatefulSetControl::ProcessReplica(Pass* pass, std::size_t i) {
  const api::Object set = pass->set;
  // A pod that has ended goes first; the next sync creates another, once its name is free.
  if (IsFinished(pass->replicas[i], profile_)) {
    if (!profile_.set_waits_for_finished_pods) {
      Step recreated = co_await RecreateFailed(pass, i);
      if (recreated.exit) co_return recreated;
    } else {
      const api::Object finished = pass->replicas[i];
      std::optional<api::Status> error;
      if (!finished.deleting()) {
        error = co_await pods_.Delete(set, finished);
      }
      if (error) co_return Step(error);
      co_return Step(true);
    }
  }
  const api::Object pod = pass->replicas[i];
  if (!IsCreated(pod)) {
    if (profile_.set_claim_retention && pods_.ClaimIsStale(set, pod)) co_return Step(true);
    std::optional<api::Status> error = co_await pods_.Create(set, pod);
    if (error) co_return Step(error);
    if (pass->monotonic) co_return Step(true);
  }
  if (profile_.set_mends_claims_of_pending && api::PodView(pod).phase() == "Pending") {
    std::optional<api::Status> error = co_await pods_.CreateMissingClaims(set, pod);
    if (error) co_return Step(error);
  }
  // In order, a pod is waited for until it is gone, or ready and available: also one of a broken
  // revision, though the template has been mended since (k/k#67250).
  if (pass->monotonic && IsOfBrokenRevision(*pass, pod)) {
    if (replaces_broken_) {
      std::optional<api::Status> error = co_await pods_.Delete(set, pod);
      if (error) co_return Step(error);
      co_return Step(true);
    }
    KSIM_PROBE("variant/sts.brokenRollback");
  }
  const bool waited_for = pod.deleting() || !IsRunningAndReady(pod) ||
                          !IsRunningAndAvailable(pod, pass->min_ready, Now(*pass), profile_);
  if (pass->monotonic && waited_for) co_return Step(true);

  const api::Object update_set = pass->revisions.update_set;
  const bool claims_match =
      !profile_.set_claim_retention || pods_.ClaimsMatchPolicy(update_set, pod);
  if (IdentityMatches(set, pod) && StorageMatches(set, pod) && claims_match) co_return Step();
  std::optional<api::Status> error = co_await pods_.Update(update_set, pod);
  co_return Step(error);
}

// A pod that is not ready, of another revision than one that would be made in its place now. It may
// be of the current one: a set that was broken when its controller first saw it begins with that.
bool StatefulSetControl::IsOfBrokenRevision(const Pass& pass, const api::Object& pod) const {
  if (!IsCreated(pod) || pod.deleting() || IsRunningAndReady(pod)) return false;
  if (pass.set.spec().Get("updateStrategy").Get("type").AsString() == "OnDelete") return false;
  const std::string_view revision = RevisionOf(pod);
  const api::Object another = NewSetPod(pass.revisions, OrdinalOf(pod), profile_);
  return !revision.empty() && revision != RevisionOf(another);
}

sim::Task<StatefulSetControl::Step> StatefulSetControl::RecreateFailed(Pass* pass, std::size_t i) {
  const api::Object failed = pass->replicas[i];
  pods_.RecordRecreation(pass->set, failed);
  std::optional<api::Status> error = co_await pods_.Delete(pass->set, failed);
  if (error) co_return Step(error);
  pass->replicas[i] = NewSetPod(pass->revisions, static_cast<std::int64_t>(i), profile_);
  co_return Step();
}

sim::Task<StatefulSetControl::Step> StatefulSetControl::FixClaims(Pass* pass, std::size_t i) {
  const api::Object update_set = pass->revisions.update_set;
  const api::Object pod = pass->condemned[i];
  if (pods_.ClaimsMatchPolicy(update_set, pod)) co_return Step();
  std::optional<api::Status> error = co_await pods_.UpdateClaimOwners(update_set, pod);
  co_return Step(error);
}

sim::Task<StatefulSetControl::Step> StatefulSetControl::ProcessCondemned(Pass* pass,
                                                                         std::size_t i) {
  const api::Object pod = pass->condemned[i];
  if (pod.deleting()) co_return Step(pass->monotonic);
  const bool well =
      IsRunningAndReady(pod) && IsRunningAndAvailable(pod, pass->min_ready, Now(*pass), profile_);
  // In order, a pod that is not well is deleted only if it is the lowest of those.
  if (!well && pass->monotonic && pod.name() != pass->first_unhealthy) co_return Step(true);
  std::optional<api::Status> error = co_await pods_.Delete(pass->set, pod);
  Step deleted(error);
  deleted.exit = true;
  co_return deleted;
}

// From the highest ordinal down to the partition: the first pod of another revision goes, unless a
// higher one is not well yet.
sim::Task<std::vector<std::string>> StatefulSetControl::RollOut(Pass* pass) {
  const std::int64_t partition = SetPartition(pass->set);
  for (std::int64_t i = static_cast<std::int64_t>(pass->replicas.size()) - 1; i >= partition; --i) {
    const api::Object pod = pass->replicas[static_cast<std::size_t>(i)];
    if (RevisionOf(pod) != pass->revisions.update && !pod.deleting()) {
      std::optional<api::Status> error = co_await pods_.Delete(pass->set, pod);
      const bool gone = error && api::IsNotFound(*error);
      if (gone && profile_.set_update_ignores_gone) error.reset();
      // Up to 1.25 it counted as deleted in any case.
      if (!error || !profile_.set_update_ignores_gone) --pass->status.current;
      co_return TextsOf(error);
    }
    if (Unhealthy(*pass, pod)) break;
  }
  co_return std::vector<std::string>();
}

// --- status ------------------------------------------------------------------------------------

// After a conflict the same status goes onto the set that the cache has by then.
sim::Task<std::optional<api::Status>> StatefulSetControl::WriteStatus(api::Object set,
                                                                      StatefulSetStatus status) {
  static const Path kStatus{"status"};
  client::Environment& env = client_.connection().env();
  client::JitterSource jitter(
      env, fmt::format("retry/{}/{}", process_.name(), sets_.resource()->group_resource()));
  client::ExponentialPoll poll(client::DefaultRetry(), jitter);
  const Value tree = status.ToTree();
  for (;;) {
    const api::Object update =
        api::Object::FromTree(set.tree().Set(kStatus, tree), set.resource_version());
    client::Client::ObjectResult written = co_await client_.UpdateStatus(sets_.resource(), update);
    if (written.ok()) {
      consistency_.WroteAt(set.key(), written->uid(), sets_.resource()->group_resource(),
                           written->resource_version());
      co_return std::nullopt;
    }
    const api::Object cached = sets_.lister().Get(set.ns(), set.name());
    if (!cached.empty()) set = cached;
    if (!api::IsConflict(written.status())) co_return written.status();
    const std::optional<Duration> sleep = poll.NextSleep();
    if (!sleep) co_return written.status();
    co_await env.sim.Sleep(*sleep, sim::TimerKind::kWork, "retry on conflict");
    if (!poll.TriesLeft()) co_return written.status();
  }
}

}  // namespace ksim::controllers
