#include "ksim/kubelet/status/status_manager.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ksim/api/conditions.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/patch_schema.h"
#include "ksim/api/pod.h"
#include "ksim/kubelet/status/pod_status.h"
#include "ksim/sim/probe.h"
#include "ksim/value/patch.h"

namespace ksim::kubelet {

using value::Value;

namespace {

constexpr Duration kSyncPeriod = Seconds(10);
constexpr std::size_t kFifoSize = 1000;

bool TerminalPhase(const Value& status) {
  const std::string_view phase = status.Get("phase").AsString();
  return phase == "Succeeded" || phase == "Failed";
}

// A container that never got a state before the pod ended.
Value Killed(const Value& status) {
  if (status.Get("state").Has("terminated")) return status;
  return status.Set(
      "state",
      value::Obj({{"terminated",
                   value::Obj({{"exitCode", Value::Int(kKillExitCode)},
                               {"finishedAt", Value()},
                               {"message", Value::Of("The container could not be located when the "
                                                     "pod was terminated")},
                               {"reason", Value::Of("ContainerStatusUnknown")},
                               {"startedAt", Value()}})}}));
}

Value AllKilled(const Value& statuses, std::size_t count) {
  std::vector<Value> killed(statuses.items().begin(), statuses.items().end());
  for (std::size_t i = 0; i < count; ++i) killed[i] = Killed(killed[i]);
  return Value::Array(std::move(killed));
}

bool HasEverStarted(const Value& status) {
  return !status.Get("state").Has("waiting") || status.Get("lastState").Has("terminated");
}

bool EndedWell(const Value& state) {
  const Value& end = state.Get("terminated");
  return !end.is_null() && end.Get("exitCode").AsInt() == 0;
}

// hasPodInitialized: regular containers may have run although no status tells of them.
bool Initialized(const api::Object& pod) {
  const Value& specs = pod.spec().Get("initContainers");
  if (specs.empty()) return true;
  for (const Value& s : pod.status().Get("containerStatuses").items())
    if (HasEverStarted(s)) return true;
  const Value& statuses = pod.status().Get("initContainerStatuses");
  if (statuses.empty()) return false;
  const Value& last = statuses.at(statuses.size() - 1);
  if (api::PodView::IsSidecar(specs.at(specs.size() - 1)))
    return last.Get("state").Has("running") && last.Get("started").AsBool();
  return EndedWell(last.Get("lastState")) || EndedWell(last.Get("state"));
}

// initializedContainers: all but those at the end that were never begun; at least one.
std::size_t CountStartedInitContainers(const Value& statuses) {
  for (std::size_t i = statuses.size(); i-- > 0;)
    if (HasEverStarted(statuses.at(i))) return i + 1;
  return std::min<std::size_t>(statuses.size(), 1);
}

// pkg/util/pod preparePatchBytesForPodStatus: of two pods that have nothing but a status.
absl::StatusOr<Value> StatusPatch(const Value& before, const Value& after) {
  return value::CreateTwoWayMergePatch(Value::EmptyObject().Set(api::Fields().status, before),
                                       Value::EmptyObject().Set(api::Fields().status, after),
                                       api::FindPatchSchema("v1", "Pod"));
}

}  // namespace

StatusManager::StatusManager(sim::Process& process, client::Client& client, const Runtime& runtime,
                             std::function<bool(const std::string& uid)> finished)
    : process_(process),
      client_(client),
      runtime_(runtime),
      finished_(std::move(finished)),
      pods_(client.connection().env().kinds.ByResource("", "pods")),
      profile_(ProfileOf(client.connection().env().compat)),
      trigger_(process.simulation()) {}

void StatusManager::Start() {
  started_ = process_.SteadyNow();
  process_.Spawn(Run());
}

const Value& StatusManager::Get(std::string_view uid) const {
  static const Value& none = *new Value();
  const auto it = statuses_.find(std::string(uid));
  return it == statuses_.end() ? none : it->second.status;
}

void StatusManager::Set(const api::Object& pod, Value status) {
  Put(pod, std::move(status), pod.deleting());
}

void StatusManager::Put(const api::Object& pod, Value status, bool force) {
  const std::string uid(pod.uid());
  Entry& entry = statuses_[uid];
  entry.pod = pod;
  if (!force && entry.version != 0 && entry.status == status) return;
  const Value& before = entry.version != 0 ? entry.status : pod.status();
  if (!IsLegalTransition(pod, before, status)) return;
  entry.status = std::move(status);
  entry.origin = process_.simulation().CaptureOrigin();
  ++entry.version;
  Queue(uid);
}

void StatusManager::Queue(const std::string& uid) {
  due_.insert(uid);
  if (profile_.status_channel && queue_.size() < kFifoSize) {
    const Entry& entry = statuses_[uid];
    Send send;
    send.uid = uid;
    send.version = entry.version;
    send.status = entry.status;
    queue_.push_back(std::move(send));
  }
  triggered_ = true;
  trigger_.Notify();
}

void StatusManager::Terminate(const api::Object& pod) {
  Value status = Get(pod.uid());
  if (status.is_null()) status = pod.status();
  const Value containers = status.Get("containerStatuses");
  if (!containers.empty() && Initialized(pod))
    status = status.Set("containerStatuses", AllKilled(containers, containers.size()));
  const Value init = status.Get("initContainerStatuses");
  if (!init.empty())
    status = status.Set("initContainerStatuses", AllKilled(init, CountStartedInitContainers(init)));
  if (!TerminalPhase(status) && profile_.terminal_phase_before_deletion) {
    status = status.Set("phase", Value::Of("Failed"));
  }
  Put(pod, std::move(status), /*force=*/true);
}

// needsReconcile.
void StatusManager::Observed(const api::Object& pod) {
  const std::string uid(pod.uid());
  const auto it = statuses_.find(uid);
  const bool sent = it != statuses_.end() && sent_[uid] >= it->second.version;
  if (!sent || IsSameByKubelet(pod, it->second.status)) {
    differing_.erase(uid);
    return;
  }
  differing_[uid] = pod;
  trigger_.Notify();
}

// A status that still differs is sent as if it had never been sent.
void StatusManager::Reconcile() {
  for (const auto& [uid, pod] : std::exchange(differing_, {})) {
    const auto it = statuses_.find(uid);
    if (it == statuses_.end()) continue;
    sent_.erase(uid);
    due_.insert(uid);
  }
}

void StatusManager::Trigger(const std::string& uid) {
  if (!statuses_.contains(uid)) return;
  ++statuses_[uid].version;
  Queue(uid);
}

void StatusManager::Forget(const std::string& uid) {
  statuses_.erase(uid);
  sent_.erase(uid);
  due_.erase(uid);
  differing_.erase(uid);
}

// A trigger by any pod sends all new versions; every 10 s the manager tries again what it could not
// send.
sim::Task<void> StatusManager::Run() {
  while (true) {
    const std::int64_t age = (process_.SteadyNow() - started_).ns();
    const Duration to_tick(kSyncPeriod.ns() - age % kSyncPeriod.ns());
    bool triggered = true;
    if (triggered_) {
      // A version came while another was being sent.
    } else if (due_.empty() && differing_.empty()) {
      co_await trigger_.Wait();
    } else {
      // Something failed before, or differs: waiting for the tick is work.
      triggered = co_await trigger_.WaitFor(to_tick, sim::TimerKind::kWork);
    }
    if (!triggered) Reconcile();
    triggered_ = false;
    co_await SyncBatch(/*all=*/!triggered);
  }
}

// With the status channel a trigger sends the versions in it, and the tick all new versions as
// well.
sim::Task<void> StatusManager::SyncBatch(bool all) {
  if (profile_.status_channel) {
    while (!queue_.empty()) {
      Send send = std::move(queue_.front());
      queue_.pop_front();
      const auto it = statuses_.find(send.uid);
      // A version that the API already has a newer one of is skipped.
      if (it == statuses_.end() || sent_[send.uid] >= send.version) continue;
      Entry entry = it->second;
      entry.status = std::move(send.status);
      entry.version = send.version;
      co_await SyncPod(std::move(entry));
    }
    if (!all) co_return;
  }
  const std::vector<std::string> uids(due_.begin(), due_.end());
  for (const std::string& uid : uids) {
    const auto it = statuses_.find(uid);
    if (it == statuses_.end() || sent_[uid] >= it->second.version) {
      due_.erase(uid);
      continue;
    }
    Entry entry = it->second;
    co_await SyncPod(std::move(entry));
  }
}

sim::Task<void> StatusManager::SyncPod(Entry entry) {
  process_.simulation().AdoptOrigin(entry.origin);
  const std::string uid(entry.pod.uid());
  const std::string ns(entry.pod.ns());
  const std::string name(entry.pod.name());

  // 1. Read the pod as it is.
  client::Client::ObjectResult got = co_await client_.Get(pods_, ns, name);
  if (!got.ok()) {
    // Gone: nothing to report any more. Other errors leave the version unsent.
    if (api::IsNotFound(got.status())) Forget(uid);
    co_return;
  }
  api::Object current = *got;
  if (current.uid() != uid) {
    Forget(uid);
    co_return;
  }

  // 2. Patch its status if the merged one differs.
  const std::optional<Value> diff = PatchFor(current, entry.status);
  if (diff) {
    static const value::Path kUid{"metadata", "uid"};
    const Value patch = diff->Set(kUid, Value::String(uid));
    const client::PatchOptions options(api::PatchType::kStrategic, "status");
    client::Client::ObjectResult patched = co_await client_.Patch(pods_, ns, name, patch, options);
    if (!patched.ok()) {
      if (api::IsNotFound(patched.status())) Forget(uid);
      co_return;
    }
    current = *patched;
  }

  // 3. Note the version as sent, and finish the deletion of a pod that has stopped.
  sent_[uid] = std::max(sent_[uid], entry.version);
  const auto newest = statuses_.find(uid);
  if (newest != statuses_.end() && newest->second.version == entry.version) due_.erase(uid);
  if (CanBeDeleted(current)) co_await DeletePod(current);
}

// isPodStatusByKubeletEqual: whatever the order of the conditions.
bool StatusManager::IsSameByKubelet(const api::Object& current, const Value& status) const {
  const Value merged = Merge(current, status);
  if (merged == current.status()) return true;
  const auto sorted = [](const Value& s) {
    std::vector<Value> conditions(s.Get("conditions").items().begin(),
                                  s.Get("conditions").items().end());
    std::stable_sort(conditions.begin(), conditions.end(), [](const Value& a, const Value& b) {
      return a.Get("type").AsString() < b.Get("type").AsString();
    });
    return s.Set("conditions", Value::Array(std::move(conditions)));
  };
  const absl::StatusOr<Value> diff = StatusPatch(sorted(current.status()), sorted(merged));
  return !diff.ok() || diff->empty();
}

std::optional<Value> StatusManager::PatchFor(const api::Object& current,
                                             const Value& status) const {
  const Value merged = Merge(current, status);
  if (merged == current.status()) return std::nullopt;
  const absl::StatusOr<Value> diff = StatusPatch(current.status(), merged);
  if (!diff.ok() || diff->empty()) return std::nullopt;
  return *diff;
}

bool StatusManager::CanBeDeleted(const api::Object& pod) const {
  if (!pod.deleting() || !finished_(std::string(pod.uid()))) return false;
  return !profile_.terminal_phase_before_deletion || api::PodView(pod).terminal();
}

sim::Task<void> StatusManager::DeletePod(api::Object pod) {
  const std::string uid(pod.uid());
  api::DeleteOptions options;
  options.grace_period_seconds = 0;
  options.uid = uid;
  api::Request request;
  request.verb = api::Verb::kDelete;
  request.resource = pods_;
  request.ns = SharedText(pod.ns());
  request.name = SharedText(pod.name());
  request.believed_uid = SharedText(pod.uid());
  request.del = options;
  // As before kubernetes#25224: whichever pod has the name by now.
  if (client_.connection().variants().kubelet_delete_precondition ==
      api::Variants::DeletePrecondition::kNone) {
    KSIM_PROBE("variant/kubelet.deletePrecondition");
    request.del.uid.reset();
  }
  const api::Response response = co_await client_.Do(std::move(request));
  const bool deleted = response.code != 0 && response.code < 400;
  if (deleted || api::IsNotFound(response.status)) {
    Forget(uid);
  } else if (statuses_.contains(uid)) {
    // Again at the next trigger or tick.
    ++statuses_[uid].version;
    due_.insert(uid);
  }
}

// mergePodStatus: conditions of other writers come from the API's copy. While containers may still
// run, a terminal phase is held back, with its reason and message.
Value StatusManager::Merge(const api::Object& current, const Value& status) const {
  const Value& api_status = current.status();
  const api::FieldNames& f = api::Fields();
  std::vector<Value> conditions;
  conditions.reserve(status.Get(f.conditions).size() + api_status.Get(f.conditions).size());
  for (const Value& c : api_status.Get(f.conditions).items()) {
    if (!IsOwnedByKubelet(c.Get(f.type).AsString())) conditions.push_back(c);
  }
  for (const Value& c : status.Get(f.conditions).items()) {
    if (IsOwnedByKubelet(c.Get(f.type).AsString())) conditions.push_back(c);
  }
  Value merged = status.Set(f.conditions, Value::Array(std::move(conditions)));
  const PodSandbox* sandbox = runtime_.Find(current.uid());
  const bool may_run = sandbox != nullptr && sandbox->AnyRunning();
  const bool ends = TerminalPhase(status) && !TerminalPhase(api_status);
  if (ends && may_run) {
    merged = merged.Set("phase", api_status.Get("phase"));
    for (const char* field : {"reason", "message"}) {
      merged =
          api_status.Has(field) ? merged.Set(field, api_status.Get(field)) : merged.Erase(field);
    }
  }
  const Value* disrupted = api::FindCondition(status.Get(f.conditions), "DisruptionTarget");
  if (ends && !may_run && disrupted != nullptr) {
    const VirtualTime now = process_.Now();
    merged =
        merged.Set(f.conditions, api::UpdateCondition(merged.Get(f.conditions), *disrupted, now));
  }
  if (const Value* qos = api_status.Find(f.qos_class)) merged = merged.Set(f.qos_class, *qos);
  return TerminalPhase(merged) ? WithReadyFalse(current, merged) : merged;
}

// A pod in a terminal phase is not ready, even if its phase is reported before the end of its
// containers.
Value StatusManager::WithReadyFalse(const api::Object& current, const Value& status) const {
  Value conditions = status.Get("conditions");
  constexpr const char* kTypes[] = {"ContainersReady", "Ready"};
  const bool ready = std::any_of(std::begin(kTypes), std::end(kTypes), [&](const char* type) {
    return api::ConditionStatus(conditions, type) == "True";
  });
  if (!ready) return status;
  const char* reason = status.Get("phase").AsString() == "Failed" ? "PodFailed" : "PodCompleted";
  for (const char* type : kTypes) {
    Value condition = api::MakeCondition(type, "False", reason);
    if (profile_.observed_generation && current.generation() != 0)
      condition = condition.Set("observedGeneration", Value::Int(current.generation()));
    conditions = api::UpdateCondition(conditions, condition, process_.Now());
  }
  return status.Set("conditions", conditions);
}

}  // namespace ksim::kubelet
