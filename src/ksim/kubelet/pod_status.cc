#include "ksim/kubelet/pod_status.h"

#include <fmt/format.h>

#include <vector>

#include "ksim/api/conditions.h"
#include "ksim/api/pod.h"
#include "ksim/value/edit.h"
#include "ksim/value/timestamp.h"

namespace ksim::kubelet {

using value::Value;

namespace {

const Container* FindContainer(const PodSandbox* sandbox, std::string_view name) {
  if (sandbox == nullptr) return nullptr;
  const auto it = sandbox->containers.find(std::string(name));
  return it == sandbox->containers.end() ? nullptr : &it->second;
}

bool Running(const Container* c) { return c != nullptr && c->state == Container::State::kRunning; }

Value RunningState(const Container& c) {
  return value::Obj(
      {{"running", value::Obj({{"startedAt", Value::String(value::FormatTimestamp(c.started))}})}});
}

Value TerminatedState(const Container& c) {
  return value::Obj(
      {{"terminated",
        value::Obj({{"containerID", Value::String(c.id)},
                    {"exitCode", Value::Int(c.exit_code)},
                    {"finishedAt", Value::String(value::FormatTimestamp(c.finished))},
                    {"reason", Value::Of(c.exit_code == 0 ? "Completed" : "Error")},
                    {"startedAt", Value::String(value::FormatTimestamp(c.started))}})}});
}

Value WaitingState(std::string_view reason, std::string_view message = {}) {
  value::ObjectBuilder waiting;
  waiting.Add("reason", Value::String(reason));
  waiting.AddIf(!message.empty(), "message", Value::String(message));
  return value::Obj({{"waiting", waiting.Build()}});
}

// What is to be started and could not be, as far as it is known why.
const WaitingReason* WaitingFor(const StatusInput& in, const Value& spec, const Container* c) {
  if (in.waiting == nullptr || in.terminal || !ShouldRestart(in.pod, spec, c)) return nullptr;
  const auto it = in.waiting->find(std::string(spec.Get("name").AsString()));
  return it == in.waiting->end() ? nullptr : &it->second;
}

// What ended before: the container itself if it waits to be started again, else the one before it.
Value LastState(const Container* c, bool waits) {
  if (c == nullptr) return Value::EmptyObject();
  if (waits && c->state == Container::State::kExited) return TerminatedState(*c);
  return c->previous == nullptr ? Value::EmptyObject() : TerminatedState(*c->previous);
}

// Without probes a container is ready, and counts as started, as soon as it runs; an init container
// when it has completed.
Value ContainerStatus(const StatusInput& in, const Value& spec, const Container* c, bool init,
                      std::string_view waiting_reason) {
  const bool completed = c != nullptr && c->state == Container::State::kExited && c->exit_code == 0;
  const bool sidecar = init && api::PodView::IsSidecar(spec);
  const Health health = Running(c) && in.health ? in.health(*c) : Health();
  const bool started = Running(c) && health.started;
  const bool ready = init && !sidecar ? completed : started && health.ready;
  const WaitingReason* waits = WaitingFor(in, spec, c);
  value::ObjectBuilder status;  // by name, which spares the sorting
  if (c != nullptr) status.Add("containerID", Value::String(c->id));
  status.Add("image", spec.Get("image"))
      .Add("imageID", Value::String(c == nullptr ? "" : c->image_id))
      .Add("lastState", LastState(c, waits != nullptr))
      .Add("name", spec.Get("name"))
      .Add("ready", Value::Bool(ready))
      .Add("restartCount", Value::Int(c == nullptr ? 0 : c->restarts))
      .Add("started", Value::Bool(started));
  if (waits != nullptr) {
    status.Add("state", WaitingState(waits->reason, waits->message));
  } else if (c == nullptr || c->state == Container::State::kCreated) {
    status.Add("state", WaitingState(waiting_reason));
  } else {
    status.Add("state", Running(c) ? RunningState(*c) : TerminatedState(*c));
  }
  return status.Build();
}

Value ContainerStatuses(const StatusInput& in, const char* field, bool init) {
  const bool has_init = !in.pod.spec().Get("initContainers").empty();
  const char* waiting = has_init ? "PodInitializing" : "ContainerCreating";
  std::vector<Value> statuses;
  for (const Value& spec : in.pod.spec().Get(field).items()) {
    const Container* c = FindContainer(in.sandbox, spec.Get("name").AsString());
    statuses.push_back(ContainerStatus(in, spec, c, init, waiting));
  }
  return Value::Array(std::move(statuses));
}

std::string NamesOf(const std::vector<std::string>& names) {
  return fmt::format("[{}]", fmt::join(names, " "));
}

// generate.go GenerateContainersReadyCondition: sidecars count, other init containers do not.
Value ContainersReady(const StatusInput& in, const Value& init_statuses, const Value& statuses,
                      std::string_view phase) {
  constexpr const char* kType = "ContainersReady";
  if (phase == "Succeeded") return api::MakeCondition(kType, "False", "PodCompleted");
  if (phase == "Failed") return api::MakeCondition(kType, "False", "PodFailed");
  std::vector<std::string> unready;
  const Value& init_specs = in.pod.spec().Get("initContainers");
  for (std::size_t i = 0; i < init_specs.size(); ++i) {
    if (api::PodView::IsSidecar(init_specs.at(i)) && !init_statuses.at(i).Get("ready").AsBool())
      unready.emplace_back(init_specs.at(i).Get("name").AsString());
  }
  for (const Value& s : statuses.items()) {
    if (!s.Get("ready").AsBool()) unready.emplace_back(s.Get("name").AsString());
  }
  if (unready.empty()) return api::MakeCondition(kType, "True");
  return api::MakeCondition(kType, "False", "ContainersNotReady",
                            fmt::format("containers with unready status: {}", NamesOf(unready)));
}

// Ready is ContainersReady and every readiness gate.
Value ReadyCondition(const StatusInput& in, const Value& containers_ready) {
  if (containers_ready.Get("status").AsString() != "True") {
    return containers_ready.Set("type", Value::Of("Ready"));
  }
  std::vector<std::string> messages;
  for (const Value& gate : in.pod.spec().Get("readinessGates").items()) {
    const std::string_view type = gate.Get("conditionType").AsString();
    const std::string_view status = api::ConditionStatus(in.pod.status().Get("conditions"), type);
    if (status.empty()) {
      messages.push_back(
          fmt::format("corresponding condition of pod readiness gate \"{}\" does "
                      "not exist.",
                      type));
    } else if (status != "True") {
      messages.push_back(fmt::format(
          "the status of pod readiness gate \"{}\" is not \"True\", but {}", type, status));
    }
  }
  if (messages.empty()) return api::MakeCondition("Ready", "True");
  return api::MakeCondition("Ready", "False", "ReadinessGatesNotReady",
                            fmt::format("{}", fmt::join(messages, ", ")));
}

// container/helpers.go HasAnyRegularContainerStarted.
bool AnyStarted(const Value& statuses) {
  for (const Value& s : statuses.items())
    if (s.Get("state").Has("running") || s.Get("state").Has("terminated")) return true;
  return false;
}

// GeneratePodInitializedCondition. Once another container has started the pod stays initialized,
// whatever its sidecars do, and in 1.36 (RestartAllContainersOnContainerExits) once it was said to
// be; 1.25 asks the init containers always.
Value InitializedCondition(const StatusInput& in, const Value& init_statuses, const Value& statuses,
                           std::string_view phase) {
  if (phase == "Succeeded") return api::MakeCondition("Initialized", "True", "PodCompleted");
  std::vector<std::string> incomplete;
  const Value& specs = in.pod.spec().Get("initContainers");
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const char* done = api::PodView::IsSidecar(specs.at(i)) ? "started" : "ready";
    if (!init_statuses.at(i).Get(done).AsBool())
      incomplete.emplace_back(specs.at(i).Get("name").AsString());
  }
  const Value* old = api::FindCondition(in.old_status.Get("conditions"), "Initialized");
  const bool was =
      in.compat == api::Compat::k1_36 && old != nullptr && old->Get("status").AsString() == "True";
  const bool stays = was || (in.compat != api::Compat::k1_25 && AnyStarted(statuses));
  if (incomplete.empty() || stays) return api::MakeCondition("Initialized", "True");
  return api::MakeCondition(
      "Initialized", "False", "ContainersNotInitialized",
      fmt::format("containers with incomplete status: {}", NamesOf(incomplete)));
}

// Kubelet's own conditions in their order after what others have written. KUBELET-21.
Value Conditions(const StatusInput& in, const Value& init_statuses, const Value& statuses,
                 std::string_view phase) {
  const Value& old_conditions = in.old_status.Get("conditions");
  const bool network = in.sandbox != nullptr && in.sandbox->ready;
  const Value containers_ready = ContainersReady(in, init_statuses, statuses, phase);
  static const value::Atom kType("type"), kStatus("status"), kSince("lastTransitionTime"),
      kObserved("observedGeneration");
  std::vector<Value> own;
  if (in.compat != api::Compat::k1_25) {
    own.push_back(api::MakeCondition("PodReadyToStartContainers", network ? "True" : "False"));
  }
  own.push_back(InitializedCondition(in, init_statuses, statuses, phase));
  own.push_back(ReadyCondition(in, containers_ready));
  own.push_back(containers_ready);
  own.push_back(api::MakeCondition("PodScheduled", "True"));

  // What others have written is as the API has it, but for the disruption that only this kubelet
  // may know of yet.
  std::vector<Value> all;
  const Value* disrupted = api::FindCondition(old_conditions, "DisruptionTarget");
  for (const Value& c : in.pod.status().Get("conditions").items()) {
    const bool is_disruption = c.Get(kType).AsString() == "DisruptionTarget";
    if (KubeletOwns(c.Get(kType).AsString())) continue;
    all.push_back(is_disruption && disrupted != nullptr ? *std::exchange(disrupted, nullptr) : c);
  }
  if (disrupted != nullptr) all.push_back(*disrupted);
  const Value now = Value::String(value::FormatTimestamp(in.now));
  const bool observes = in.compat == api::Compat::k1_36 && in.pod.generation() != 0;
  for (const Value& condition : own) {
    const std::string_view status = condition.Get(kStatus).AsString();
    const Value* old = api::FindCondition(old_conditions, condition.Get(kType).AsString());
    const bool same = old != nullptr && old->Get(kStatus).AsString() == status;
    const Value& since = same ? old->Get(kSince) : now;
    all.push_back(observes
                      ? value::SetAll(condition, {{kSince, since},
                                                  {kObserved, Value::Int(in.pod.generation())}})
                      : condition.Set(kSince, since));
  }
  return Value::Array(std::move(all));
}

bool TerminalPhase(std::string_view phase) { return phase == "Succeeded" || phase == "Failed"; }

struct Tally {
  int waiting = 0, running = 0, stopped = 0, succeeded = 0, unknown = 0;
};

Tally Count(const Value& statuses) {
  Tally t;
  for (const Value& s : statuses.items()) {
    const Value& state = s.Get("state");
    if (state.Has("running")) {
      ++t.running;
    } else if (state.Has("terminated")) {
      ++t.stopped;
      if (state.Get("terminated").Get("exitCode").AsInt() == 0) ++t.succeeded;
    } else if (state.Has("waiting")) {
      ++(s.Get("lastState").Has("terminated") ? t.stopped : t.waiting);
    } else {
      ++t.unknown;
    }
  }
  return t;
}

// Init containers: those to come count as pending, a failed one of a pod that never restarts ends
// it. Sidecars that run or wait for the first time count among the others as well.
struct InitTally {
  int pending = 0, pending_sidecars = 0, failed = 0;
};

void CountInit(const Value& status, InitTally* init) {
  const Value& state = status.Get("state");
  const Value& holder = state.Has("waiting") ? status.Get("lastState") : state;
  const Value& end = holder.Get("terminated");
  if (end.is_null()) {
    ++init->pending;
  } else if (end.Get("exitCode").AsInt() != 0) {
    ++init->failed;
  }
}

void CountSidecar(const Value& status, InitTally* init, Tally* t) {
  const Value& state = status.Get("state");
  if (state.Has("running")) {
    if (!status.Get("started").AsBool()) ++init->pending_sidecars;
    ++t->running;
  } else if (state.Has("waiting") && !status.Get("lastState").Has("terminated")) {
    ++init->pending_sidecars;
    ++t->waiting;
  }
}

}  // namespace

bool ShouldRestart(const api::Object& pod, const Value& spec, const Container* container) {
  if (pod.deleting()) return false;
  if (container == nullptr || container->state == Container::State::kCreated) return true;
  if (container->state == Container::State::kRunning) return false;
  if (api::PodView::IsSidecar(spec)) return true;
  const std::string_view policy = api::PodView(pod).restart_policy();
  const bool well = container->exit_code == 0;
  if (container->init && well) return false;  // it has done its work
  return policy == "Always" || (policy == "OnFailure" && !well);
}

bool LegalTransition(const api::Object& pod, const Value& old_status, const Value& new_status) {
  const std::string_view policy = api::PodView(pod).restart_policy();
  if (policy == "Always") return true;
  const auto is_sidecar = [&](const Value& name) {
    for (const Value& spec : pod.spec().Get("initContainers").items())
      if (spec.Get("name") == name) return api::PodView::IsSidecar(spec);
    return false;
  };
  for (const char* field : {"containerStatuses", "initContainerStatuses"}) {
    for (const Value& before : old_status.Get(field).items()) {
      const Value& ended = before.Get("state").Get("terminated");
      if (ended.is_null() || is_sidecar(before.Get("name"))) continue;
      if (ended.Get("exitCode").AsInt() != 0 && policy == "OnFailure") continue;
      for (const Value& after : new_status.Get(field).items()) {
        const bool same = after.Get("name") == before.Get("name");
        if (same && !after.Get("state").Has("terminated")) return false;
      }
    }
  }
  return true;
}

std::string ContainerFieldPath(const api::Object& pod, std::string_view container) {
  const char* field = "containers";
  for (const Value& spec : pod.spec().Get("initContainers").items())
    if (spec.Get("name").AsString() == container) field = "initContainers";
  return std::string("spec.").append(field).append("{").append(container).append("}");
}

bool KubeletOwns(std::string_view type) {
  return type == "PodReadyToStartContainers" || type == "Initialized" || type == "Ready" ||
         type == "ContainersReady" || type == "PodScheduled";
}

std::string_view PhaseOf(const api::Object& pod, const Value& status, bool terminal,
                         bool initialized) {
  const std::string_view policy = api::PodView(pod).restart_policy();
  Tally t = Count(status.Get("containerStatuses"));
  InitTally init;
  const Value& specs = pod.spec().Get("initContainers");
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const Value& init_status = status.Get("initContainerStatuses").at(i);
    if (api::PodView::IsSidecar(specs.at(i))) {
      CountSidecar(init_status, &init, &t);
    } else {
      CountInit(init_status, &init);
    }
  }
  if (init.failed > 0 && policy == "Never") return "Failed";
  if (init.pending > 0 || t.waiting > 0) return "Pending";
  if (init.pending_sidecars > 0 && !initialized) return "Pending";
  if (t.running > 0 && t.unknown == 0) return "Running";
  if (t.running > 0 || t.stopped == 0 || t.unknown > 0) return "Pending";
  if (terminal) return t.stopped == t.succeeded ? "Succeeded" : "Failed";
  if (policy == "Always") return "Running";
  if (t.stopped == t.succeeded) return "Succeeded";
  return policy == "Never" ? "Failed" : "Running";
}

// What 1.36 asks the runtime, 1.30 asks the statuses.
static bool Initialized(const StatusInput& in, const Value& statuses) {
  if (in.compat != api::Compat::k1_36) return AnyStarted(statuses);
  for (const Value& spec : in.pod.spec().Get("containers").items())
    if (FindContainer(in.sandbox, spec.Get("name").AsString()) != nullptr) return true;
  return false;
}

bool ReadinessDiffers(const api::Object& pod) {
  if (pod.spec().Get("readinessGates").empty()) return false;
  const Value& status = pod.status();
  const Value* now = api::FindCondition(status.Get("conditions"), "Ready");
  if (now == nullptr) return false;
  StatusInput in;
  in.pod = pod;
  const Value wanted = ReadyCondition(
      in, ContainersReady(in, status.Get("initContainerStatuses"), status.Get("containerStatuses"),
                          status.Get("phase").AsString()));
  return wanted.Get("status") != now->Get("status") ||
         wanted.Get("message").AsString() != now->Get("message").AsString();
}

Value GeneratePodStatus(const StatusInput& in) {
  const Value& old = in.old_status;
  const Value init = ContainerStatuses(in, "initContainers", true);
  const Value containers = ContainerStatuses(in, "containers", false);
  Value counted = value::Obj({{"initContainerStatuses", init}, {"containerStatuses", containers}});
  const std::string_view old_phase = old.Get("phase").AsString();
  const std::string_view api_phase = in.pod.status().Get("phase").AsString();
  // 1.25: a pod that is being deleted keeps its phase until it is gone.
  const bool forced = in.terminal && in.compat != api::Compat::k1_25;
  const std::string phase(TerminalPhase(api_phase) ? api_phase
                          : TerminalPhase(old_phase)
                              ? old_phase
                              : PhaseOf(in.pod, counted, forced, Initialized(in, containers)));

  value::ObjectBuilder status;
  if (phase == old_phase) {
    for (const char* kept : {"reason", "message"}) {
      const Value& text = old.Has(kept) ? old.Get(kept) : in.pod.status().Get(kept);
      status.AddIf(!text.is_null(), kept, text);
    }
  }
  status.Add("phase", Value::String(phase));
  status.Add("conditions", Conditions(in, init, containers, phase));
  status.Add("containerStatuses", containers);
  status.AddIf(!init.empty(), "initContainerStatuses", init);
  status.AddIf(old.Has("qosClass"), "qosClass", old.Get("qosClass"));
  status.AddIf(old.Has("nominatedNodeName"), "nominatedNodeName", old.Get("nominatedNodeName"));
  status.Add("startTime", old.Has("startTime") ? old.Get("startTime")
                                               : Value::String(value::FormatTimestamp(in.now)));
  const Value host = Value::String(in.host_ip);
  status.Add("hostIP", host);
  if (in.compat != api::Compat::k1_25) {
    status.Add("hostIPs", value::Arr({value::Obj({{"ip", host}})}));
  }
  const bool host_network = in.pod.spec().Get("hostNetwork").AsBool();
  if (in.sandbox != nullptr || old.Has("podIP")) {
    const Value ip = in.sandbox == nullptr ? old.Get("podIP")
                     : host_network        ? host
                                           : Value::String(in.sandbox->ip);
    status.Add("podIP", ip);
    status.Add("podIPs", value::Arr({value::Obj({{"ip", ip}})}));
  }
  if (in.compat == api::Compat::k1_36 && in.pod.generation() != 0) {
    status.Add("observedGeneration", Value::Int(in.pod.generation()));
  }
  return status.Build();
}

}  // namespace ksim::kubelet
