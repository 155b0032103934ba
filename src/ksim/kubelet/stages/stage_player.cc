#include "ksim/kubelet/stages/stage_player.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/patch_schema.h"
#include "ksim/api/pod.h"
#include "ksim/base/status.h"
#include "ksim/client/rest/component_limits.h"
#include "ksim/value/patch.h"
#include "ksim/value/timestamp.h"
#include "ksim/value/yaml.h"

namespace ksim::kubelet {

using value::Value;

namespace {

// defaultBackoff of controllers/utils.go: 1 s, doubling to 32 min, and up to a fifth more.
constexpr Duration kFirstStageRetry = Seconds(1);
constexpr Duration kLongestStageRetry = Minutes(32);
constexpr std::uint64_t kMostDoublings = 11;  // 2^11 s is more than 32 min
// A run counts as quiet although a pod enters a stage for more than this many times: it may go
// round for ever.
constexpr int kStagesWaitedFor = 10;

client::ClientOptions StageEventOptions(const client::Connection& connection,
                                        const std::string& node) {
  return client::LimitedAs(client::Limits::kKubeletEvents, connection.compat(),
                           "system:node:" + node);
}

// shouldRetry.
bool IsWorthARetry(const api::Status& status) {
  return api::IsConnectionRefused(status) || api::IsServerTimeout(status) ||
         api::IsTimeout(status) || api::IsServiceUnavailable(status) ||
         api::IsTooManyRequests(status);
}

std::string TextOf(const api::Status& status) { return std::string(status.message.view()); }

// Whether the patch would change the object (checkNeedPatchWithTyped). One that cannot be applied
// here is the server's to refuse.
bool Changes(const api::Object& pod, const Value& patch, api::PatchType type) {
  const Value before = pod.ToTree();
  if (type == api::PatchType::kMerge) return value::ApplyMergePatch(before, patch) != before;
  const absl::StatusOr<Value> after =
      type == api::PatchType::kJson
          ? value::ApplyJsonPatch(before, patch)
          : value::ApplyStrategicMergePatch(before, patch, api::FindPatchSchema("v1", "Pod"));
  return !after.ok() || *after != before;
}

// wrapMergePatchData, wrapJSONPatchData: the template makes the value of the field `root`.
Value BelowRoot(const std::string& root, api::PatchType type, const Value& made) {
  if (root.empty()) return made;
  if (type != api::PatchType::kJson) return value::Obj({{root, made}});
  std::vector<Value> operations;
  for (const Value& operation : made.items())
    operations.push_back(operation.Set(
        "path", Value::Of(fmt::format("/{}{}", root, operation.Get("path").AsString()))));
  return Value::Array(std::move(operations));
}

}  // namespace

StagePlayer::StagePlayer(sim::Process& process, client::Client& client, Runtime& runtime,
                         std::shared_ptr<const StageSet> stages, const std::string& node,
                         std::string node_ip)
    : process_(process),
      env_(client.connection().env()),
      client_(client),
      runtime_(runtime),
      stages_(std::move(stages)),
      node_ip_(std::move(node_ip)),
      recorder_(client.connection(), process.actor(), "kwok_controller", "",
                client::EventRecorder::Api::kCore, StageEventOptions(client.connection(), node)),
      resource_(env_.kinds.ByResource("", "pods")),
      choice_site_(env_.sim.decisions().Site("stage/choice")),
      delay_site_(env_.sim.decisions().Site("stage/delay")),
      retry_site_(env_.sim.decisions().Site("stage/retry")),
      started_(process.Now()) {}

std::uint64_t StagePlayer::IdentityOf(const api::Object& pod) const {
  return env_.IdentityOf("pods", pod.ns(), pod.name());
}

// preprocess: without a stage for this version, one that waits for the last version still comes.
void StagePlayer::See(const api::Object& pod) {
  Played& played = pods_[std::string(pod.uid())];
  played.pod = pod;
  runtime_.MarkPlayed(pod);
  if (played.waits && played.waits_for == pod.resource_version()) return;
  const Value tree = pod.ToTree();
  const std::uint64_t identity = IdentityOf(pod);
  Job job;
  job.pod = pod;
  job.stage = NextStage(pod, tree, identity);
  if (job.stage == nullptr) return;
  const Stage::Range range = job.stage->DelayOf(tree, process_.Now());
  Duration delay = range.min;
  if (range.min < range.max) {
    const std::uint64_t key = sim::KeyOf(identity, sim::KeyOf(job.stage->name));
    delay = env_.sim.decisions().DrawDuration(delay_site_, key, range.min, range.max);
  }
  const bool waited = played.counts[job.stage->name] < kStagesWaitedFor;
  Enqueue(&played, std::move(job), delay, waited);
}

const Stage* StagePlayer::NextStage(const api::Object& pod, const Value& tree,
                                    std::uint64_t identity) {
  const StageSet::Candidates found = stages_->Match(pod, tree);
  if (found.stages.empty()) return nullptr;
  if (found.stages.size() == 1) return found.stages.front();
  std::uint64_t total = 0;
  for (const std::uint64_t weight : found.weights) total += weight;
  std::uint64_t drawn = env_.sim.decisions().Draw(choice_site_, identity) % total;
  for (std::size_t i = 0; i < found.stages.size(); ++i) {
    if (drawn < found.weights[i]) return found.stages[i];
    drawn -= found.weights[i];
  }
  return found.stages.back();
}

// addStageJob.
void StagePlayer::Enqueue(Played* played, Job job, Duration delay, bool waited) {
  if (played->waits) process_.Cancel(played->task);
  played->waits = true;
  played->waits_for = job.pod.resource_version();
  const sim::TimerKind kind = waited ? sim::TimerKind::kWork : sim::TimerKind::kPeriodic;
  played->task = process_.Spawn(Play(std::move(job), delay, kind));
}

void StagePlayer::Remove(const api::Object& pod) {
  const auto it = pods_.find(std::string(pod.uid()));
  if (it == pods_.end()) return;
  if (it->second.waits) process_.Cancel(it->second.task);
  pods_.erase(it);
  runtime_.ForgetPlayed(pod.uid());
}

void StagePlayer::ForgetOthers() {
  for (const std::string& uid : runtime_.PlayedUids())
    if (!pods_.contains(uid)) runtime_.ForgetPlayed(uid);
}

void StagePlayer::AppendActive(std::vector<api::Object>* pods) const {
  for (const auto& [uid, played] : pods_)
    if (!api::PodView(played.pod).terminal()) pods->push_back(played.pod);
}

// playStageWorker and playStage: after the delay the steps, one after the other. What can be tried
// again is, from the step that failed on.
sim::Task<void> StagePlayer::Play(Job job, Duration delay, sim::TimerKind kind) {
  co_await process_.simulation().Sleep(delay, kind, "stage");
  const std::string uid(job.pod.uid());
  Played& played = pods_.at(uid);  // a pod that goes takes what waits with it
  played.waits = false;
  ++played.counts[job.stage->name];
  if (job.retries == 0) runtime_.EmitStage(job.pod, job.stage->name);
  bool deleted = false;
  std::optional<api::Object> result;
  while (job.step < job.stage->steps.size()) {
    const StageStep* step = &job.stage->steps[job.step];
    StepOutcome outcome = co_await Carry(step, &job.pod, deleted);
    if (!outcome.error.empty()) {
      runtime_.EmitStage(job.pod, fmt::format("{} fails: {}", job.stage->name, outcome.error));
      const auto it = pods_.find(uid);
      if (!outcome.retry || it == pods_.end()) co_return;
      const std::int64_t factor = std::int64_t{1} << std::min(job.retries++, kMostDoublings);
      const Duration base = std::min(kFirstStageRetry * factor, kLongestStageRetry);
      const Duration wait = env_.sim.decisions().DrawDuration(retry_site_, IdentityOf(job.pod),
                                                              base, base + base / 5);
      Enqueue(&it->second, std::move(job), wait, true);
      co_return;
    }
    if (outcome.pod) result = std::move(outcome.pod);
    if (outcome.deleted) result.reset();
    deleted = deleted || outcome.deleted;
    ++job.step;
  }
  if (result && job.stage->immediate && pods_.contains(uid)) See(*result);
}

// doStageSteps, for one of them.
sim::Task<StagePlayer::StepOutcome> StagePlayer::Carry(const StageStep* step,
                                                       const api::Object* pod, bool deleted) {
  StepOutcome outcome;
  if (step->event)
    recorder_.Event(*pod, step->event->type, step->event->reason, step->event->message);
  if (deleted) co_return outcome;
  if (step->finalizers) {
    const Value operations = FinalizersPatch(pod->finalizers(), *step->finalizers);
    if (!operations.empty()) {
      outcome = co_await SendPatch(pod, operations, api::PatchType::kJson, "");
      if (!outcome.error.empty()) co_return outcome;
    }
  }
  if (step->remove) {
    outcome = co_await SendDelete(pod);
    co_return outcome;
  }
  if (!step->patch) co_return outcome;
  StepOutcome patched;
  const std::optional<Value> patch = PatchOf(*step->patch, *pod, &patched.error);
  if (!patch) co_return patched;
  patched = co_await SendPatch(pod, *patch, step->patch->type, step->patch->subresource);
  if (!patched.pod) patched.pod = std::move(outcome.pod);
  co_return patched;
}

std::optional<Value> StagePlayer::PatchOf(const StagePatch& patch, const api::Object& pod,
                                          std::string* error) {
  TemplateWorld world;
  world.now = value::FormatTimestamp(process_.Now());
  world.start_time = value::FormatTimestamp(started_);
  world.node_ip = node_ip_;
  world.pod_ip = [this, &pod] { return runtime_.AddressOf(pod); };
  const absl::StatusOr<std::string> text = patch.body.Render(pod.ToTree(), world);
  if (!text.ok()) {
    *error = fmt::format("the template stops at {}", Message(text.status()));
    return std::nullopt;
  }
  const value::YamlFile file = value::ParseYaml(*text, "template");
  if (!file.errors.empty()) {
    *error = fmt::format("what the template makes is no YAML: line {}: {}",
                         file.errors.front().span.line, file.errors.front().message);
    return std::nullopt;
  }
  const Value made = file.documents.empty() ? Value() : file.documents.front().ToValue();
  return BelowRoot(patch.root, patch.type, made);
}

sim::Task<StagePlayer::StepOutcome> StagePlayer::SendPatch(const api::Object* pod, Value patch,
                                                           api::PatchType type,
                                                           std::string subresource) {
  StepOutcome outcome;
  if (!Changes(*pod, patch, type)) co_return outcome;
  // As a kubelet's: it never hits the next pod of the name.
  static const value::Path kUid{"metadata", "uid"};
  if (patch.is_object()) patch = std::move(patch).Set(kUid, Value::Of(pod->uid()));
  const client::PatchOptions options(type, std::move(subresource));
  const SharedText ns(pod->ns()), name(pod->name());
  client::Client::ObjectResult patched =
      co_await client_.Patch(resource_, ns, name, patch, options);
  if (patched.ok()) {
    outcome.pod = *patched;
  } else {
    outcome.error = TextOf(patched.status());
    outcome.retry = IsWorthARetry(patched.status());
  }
  co_return outcome;
}

// deleteOpt: at once; here with the uid.
sim::Task<StagePlayer::StepOutcome> StagePlayer::SendDelete(const api::Object* pod) {
  StepOutcome outcome;
  api::DeleteOptions options;
  options.grace_period_seconds = 0;
  options.uid = SharedText(pod->uid());
  const SharedText ns(pod->ns()), name(pod->name());
  client::Client::ObjectResult deleted = co_await client_.Delete(resource_, ns, name, options);
  outcome.deleted = deleted.ok() || api::IsNotFound(deleted.status());
  if (!outcome.deleted) {
    outcome.error = TextOf(deleted.status());
    outcome.retry = IsWorthARetry(deleted.status());
  }
  co_return outcome;
}

}  // namespace ksim::kubelet
