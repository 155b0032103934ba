#include "ksim/kubelet/status/pod_status.h"

#include <fmt/format.h>

#include <vector>

#include "ksim/api/conditions.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/pod.h"
#include "ksim/kubelet/status/pod_phase.h"
#include "ksim/value/edit.h"
#include "ksim/value/timestamp.h"

namespace ksim::kubelet {

using api::Fields;
using value::Value;

namespace {

// The words of a kubelet of another make stay beside those of this one.
Value Overlaid(const Value& told, const Value& own) {
  Value out = told;
  for (const Value::Member& m : own.members()) out = out.Set(m.name, m.value);
  return out;
}

bool Has(const Value& object, value::Atom field) { return object.Find(field) != nullptr; }

// An object with one field.
Value Of(value::Atom field, Value v) { return Value::EmptyObject().Set(field, std::move(v)); }

const Container* FindContainer(const PodSandbox* sandbox, std::string_view name) {
  if (sandbox == nullptr) return nullptr;
  const auto it = sandbox->containers.find(std::string(name));
  return it == sandbox->containers.end() ? nullptr : &it->second;
}

bool Running(const Container* c) { return c != nullptr && c->state == Container::State::kRunning; }

Value RunningState(const Container& c) {
  return Of(Fields().running, Of(Fields().started_at, value::TimestampValue(c.started)));
}

Value TerminatedState(const Container& c) {
  value::ObjectBuilder end;
  end.Add(Fields().container_id, Value::String(c.id))
      .Add(Fields().exit_code, Value::Int(c.exit_code))
      .Add(Fields().finished_at, value::TimestampValue(c.finished))
      .Add(Fields().reason, Value::Of(c.oom              ? "OOMKilled"
                                      : c.exit_code == 0 ? "Completed"
                                                         : "Error"))
      .Add(Fields().started_at, value::TimestampValue(c.started));
  return Of(Fields().terminated, end.Build());
}

Value WaitingState(std::string_view reason, std::string_view message = {}) {
  value::ObjectBuilder waiting;
  if (!message.empty()) waiting.Add(Fields().message, Value::String(message));
  waiting.Add(Fields().reason, Value::String(reason));
  return Of(Fields().waiting, waiting.Build());
}

// Why a container that should start could not be started; null if nothing is known.
const WaitingReason* WaitingFor(const StatusInput& in, const Value& spec, const Container* c) {
  if (in.waiting == nullptr || in.terminal || !ShouldRestart(in.pod, spec, c)) return nullptr;
  const auto it = in.waiting->find(std::string(spec.Get(Fields().name).AsString()));
  return it == in.waiting->end() ? nullptr : &it->second;
}

// The last run that ended: the container itself if it waits to be started again, else its
// predecessor.
Value LastState(const Container& c, bool waits) {
  if (waits && c.state == Container::State::kExited) return TerminatedState(c);
  return c.previous == nullptr ? Value::EmptyObject() : TerminatedState(*c.previous);
}

// A container that was last seen running and that the runtime no longer knows: it has ended, nobody
// knows how. So the pod does not fall back to Pending.
Value LostState() {
  value::ObjectBuilder end;
  end.Add(Fields().exit_code, Value::Int(137))
      .Add(Fields().message, Value::Of("The container could not be located when the pod was "
                                       "deleted.  The container used to be Running"))
      .Add(Fields().reason, Value::Of("ContainerStatusUnknown"));
  return Of(Fields().terminated, end.Build());
}

// A part of a container's status, from the runtime or, if it does not know the container, from what
// the kubelet last said.
struct Seen {
  Value container_id, image, image_id, last_state, state;
  std::int64_t restarts = 0;

  bool Completed() const {
    const Value& end = state.Get(Fields().terminated);
    return !end.is_null() && end.Get(Fields().exit_code).AsInt() == 0;
  }
};

Seen FromRuntime(const Container& c, const Value& spec, bool waits, std::string_view waiting) {
  Seen seen;
  if (!c.told.is_null()) {
    seen.container_id = c.told.Get(Fields().container_id);
    seen.image = c.told.Get(Fields().image);
    seen.image_id = c.told.Get(Fields().image_id);
    seen.last_state = c.told.Get(Fields().last_state);
    if (seen.last_state.is_null()) seen.last_state = Value::EmptyObject();
    seen.state = c.told.Get(Fields().state);
    seen.restarts = c.restarts;
    return seen;
  }
  seen.container_id = Value::String(c.id);
  seen.image = spec.Get(Fields().image);
  seen.image_id = Value::String(c.image_id);
  seen.last_state = LastState(c, waits);
  seen.state = c.state == Container::State::kCreated ? WaitingState(waiting)
               : Running(&c)                         ? RunningState(c)
                                                     : TerminatedState(c);
  seen.restarts = c.restarts;
  return seen;
}

// convertToAPIContainerStatuses, of a container that podStatus lacks. An end that was told stays.
Seen FromOldStatus(const StatusInput& in, const Value& spec, const Value& old, bool waits,
                   std::string_view waiting) {
  Seen seen;
  seen.image = spec.Get(Fields().image);
  seen.image_id = Value::Of("");
  seen.last_state = Value::EmptyObject();
  seen.state = WaitingState(waiting);
  if (old.is_null()) return seen;
  const Value& state = old.Get(Fields().state);
  const Value& last = old.Get(Fields().last_state);
  seen.restarts = old.Get(Fields().restart_count).AsInt();
  if (!last.is_null()) seen.last_state = last;
  if (Has(state, Fields().terminated)) {
    seen.container_id = old.Get(Fields().container_id);
    seen.image = old.Get(Fields().image);
    seen.image_id = old.Get(Fields().image_id);
    seen.state = state;
    if (waits) seen.last_state = state;
  } else if (Has(state, Fields().running) && !Has(last, Fields().terminated)) {
    seen.last_state = LostState();
    if (!in.pod.deleting()) ++seen.restarts;
  }
  return seen;
}

// Without probes a container is ready, and counts as started, as soon as it runs; an init container
// when it has completed.
Value ContainerStatus(const StatusInput& in, const Value& spec, value::Atom field,
                      std::string_view waiting_reason) {
  const bool init = field == Fields().init_container_statuses;
  const Container* c = FindContainer(in.sandbox, spec.Get(Fields().name).AsString());
  const WaitingReason* waits = WaitingFor(in, spec, c);
  const Seen seen =
      c != nullptr
          ? FromRuntime(*c, spec, waits != nullptr, waiting_reason)
          : FromOldStatus(in, spec, StatusNamed(in.old_status.Get(field), spec.Get(Fields().name)),
                          waits != nullptr, waiting_reason);
  const bool sidecar = init && api::PodView::IsSidecar(spec);
  const Health health = Running(c) && in.health ? in.health(*c) : Health();
  const bool started = Running(c) && health.started;
  const bool ready = init && !sidecar ? seen.Completed() : started && health.ready;
  value::ObjectBuilder status;  // by name, which spares the sorting
  if (!seen.container_id.is_null()) status.Add(Fields().container_id, seen.container_id);
  status.Add(Fields().image, seen.image)
      .Add(Fields().image_id, seen.image_id)
      .Add(Fields().last_state, seen.last_state)
      .Add(Fields().name, spec.Get(Fields().name))
      .Add(Fields().ready, Value::Bool(ready))
      .Add(Fields().restart_count, Value::Int(seen.restarts))
      .Add(Fields().started, Value::Bool(started))
      .Add(Fields().state,
           waits == nullptr ? seen.state : WaitingState(waits->reason, waits->message));
  if (c != nullptr && !c->told.is_null()) return Overlaid(c->told, status.Build());
  return status.Build();
}

Value ContainerStatuses(const StatusInput& in, value::Atom specs, value::Atom field) {
  const bool has_init = !in.pod.spec().Get(Fields().init_containers).empty();
  const char* waiting = has_init ? "PodInitializing" : "ContainerCreating";
  std::vector<Value> statuses;
  for (const Value& spec : in.pod.spec().Get(specs).items())
    statuses.push_back(ContainerStatus(in, spec, field, waiting));
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
  const Value& init_specs = in.pod.spec().Get(Fields().init_containers);
  for (std::size_t i = 0; i < init_specs.size(); ++i) {
    if (api::PodView::IsSidecar(init_specs.at(i)) &&
        !init_statuses.at(i).Get(Fields().ready).AsBool())
      unready.emplace_back(init_specs.at(i).Get(Fields().name).AsString());
  }
  for (const Value& s : statuses.items()) {
    if (!s.Get(Fields().ready).AsBool()) unready.emplace_back(s.Get(Fields().name).AsString());
  }
  if (unready.empty()) return api::MakeCondition(kType, "True");
  return api::MakeCondition(kType, "False", "ContainersNotReady",
                            fmt::format("containers with unready status: {}", NamesOf(unready)));
}

// Ready is ContainersReady and every readiness gate.
Value ReadyCondition(const StatusInput& in, const Value& containers_ready) {
  if (containers_ready.Get(Fields().status).AsString() != "True") {
    return containers_ready.Set(Fields().type, Value::Of("Ready"));
  }
  std::vector<std::string> messages;
  for (const Value& gate : in.pod.spec().Get(Fields().readiness_gates).items()) {
    const std::string_view type = gate.Get(Fields().condition_type).AsString();
    const std::string_view status =
        api::ConditionStatus(in.pod.status().Get(Fields().conditions), type);
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
    if (Has(s.Get(Fields().state), Fields().running) ||
        Has(s.Get(Fields().state), Fields().terminated))
      return true;
  return false;
}

// GeneratePodInitializedCondition. Once another container has started the pod stays initialized,
// whatever its sidecars do, and in 1.36 (RestartAllContainersOnContainerExits) once it was said to
// be; 1.25 asks the init containers always.
Value InitializedCondition(const StatusInput& in, const Value& init_statuses, const Value& statuses,
                           std::string_view phase) {
  if (phase == "Succeeded") return api::MakeCondition("Initialized", "True", "PodCompleted");
  std::vector<std::string> incomplete;
  const Value& specs = in.pod.spec().Get(Fields().init_containers);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const value::Atom done =
        api::PodView::IsSidecar(specs.at(i)) ? Fields().started : Fields().ready;
    if (!init_statuses.at(i).Get(done).AsBool())
      incomplete.emplace_back(specs.at(i).Get(Fields().name).AsString());
  }
  const Value* old = api::FindCondition(in.old_status.Get(Fields().conditions), "Initialized");
  const bool was = in.profile->stays_initialized && old != nullptr &&
                   old->Get(Fields().status).AsString() == "True";
  const bool stays = was || (in.profile->started_containers_initialize && AnyStarted(statuses));
  if (incomplete.empty() || stays) return api::MakeCondition("Initialized", "True");
  return api::MakeCondition(
      "Initialized", "False", "ContainersNotInitialized",
      fmt::format("containers with incomplete status: {}", NamesOf(incomplete)));
}

// Kubelet's own conditions in their order after what others have written. KUBELET-21.
Value Conditions(const StatusInput& in, const Value& init_statuses, const Value& statuses,
                 std::string_view phase) {
  const Value& old_conditions = in.old_status.Get(Fields().conditions);
  const bool network = in.sandbox != nullptr && in.sandbox->ready;
  const Value containers_ready = ContainersReady(in, init_statuses, statuses, phase);
  std::vector<Value> own;
  own.reserve(5);
  if (in.profile->ready_to_start_condition) {
    own.push_back(api::MakeCondition("PodReadyToStartContainers", network ? "True" : "False"));
  }
  own.push_back(InitializedCondition(in, init_statuses, statuses, phase));
  own.push_back(ReadyCondition(in, containers_ready));
  own.push_back(containers_ready);
  own.push_back(api::MakeCondition("PodScheduled", "True"));

  // Conditions of other writers stay as the API has them, except DisruptionTarget, which only this
  // kubelet may know of yet.
  std::vector<Value> all;
  all.reserve(in.pod.status().Get(Fields().conditions).size() + 6);
  const Value* disrupted = api::FindCondition(old_conditions, "DisruptionTarget");
  for (const Value& c : in.pod.status().Get(Fields().conditions).items()) {
    const bool is_disruption = c.Get(Fields().type).AsString() == "DisruptionTarget";
    if (IsOwnedByKubelet(c.Get(Fields().type).AsString())) continue;
    all.push_back(is_disruption && disrupted != nullptr ? *std::exchange(disrupted, nullptr) : c);
  }
  if (disrupted != nullptr) all.push_back(*disrupted);
  const Value now = value::TimestampValue(in.now);
  const bool observes = in.profile->observed_generation && in.pod.generation() != 0;
  for (const Value& condition : own) {
    const std::string_view status = condition.Get(Fields().status).AsString();
    const Value* old = api::FindCondition(old_conditions, condition.Get(Fields().type).AsString());
    const bool same = old != nullptr && old->Get(Fields().status).AsString() == status;
    const Value& since = same ? old->Get(Fields().last_transition_time) : now;
    all.push_back(observes ? value::SetAll(condition, {{Fields().last_transition_time, since},
                                                       {Fields().observed_generation,
                                                        Value::Int(in.pod.generation())}})
                           : condition.Set(Fields().last_transition_time, since));
  }
  return Value::Array(std::move(all));
}

bool TerminalPhase(std::string_view phase) { return phase == "Succeeded" || phase == "Failed"; }

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

bool IsLegalTransition(const api::Object& pod, const Value& old_status, const Value& new_status) {
  const std::string_view policy = api::PodView(pod).restart_policy();
  if (policy == "Always") return true;
  const auto is_sidecar = [&](const Value& name) {
    for (const Value& spec : pod.spec().Get(Fields().init_containers).items())
      if (spec.Get(Fields().name) == name) return api::PodView::IsSidecar(spec);
    return false;
  };
  for (const value::Atom field : {Fields().container_statuses, Fields().init_container_statuses}) {
    for (const Value& before : old_status.Get(field).items()) {
      const Value& ended = before.Get(Fields().state).Get(Fields().terminated);
      if (ended.is_null() || is_sidecar(before.Get(Fields().name))) continue;
      if (ended.Get(Fields().exit_code).AsInt() != 0 && policy == "OnFailure") continue;
      for (const Value& after : new_status.Get(field).items()) {
        const bool same = after.Get(Fields().name) == before.Get(Fields().name);
        if (same && !Has(after.Get(Fields().state), Fields().terminated)) return false;
      }
    }
  }
  return true;
}

std::string ContainerFieldPath(const api::Object& pod, std::string_view container) {
  const char* field = "containers";
  for (const Value& spec : pod.spec().Get(Fields().init_containers).items())
    if (spec.Get(Fields().name).AsString() == container) field = "initContainers";
  return std::string("spec.").append(field).append("{").append(container).append("}");
}

bool IsOwnedByKubelet(std::string_view type) {
  return type == "PodReadyToStartContainers" || type == "Initialized" || type == "Ready" ||
         type == "ContainersReady" || type == "PodScheduled";
}

// getPhase: a regular container has started or, where the runtime is asked, has been created.
static bool HasRegularContainer(const StatusInput& in, const Value& statuses) {
  if (!in.profile->phase_asks_runtime) return AnyStarted(statuses);
  for (const Value& spec : in.pod.spec().Get(Fields().containers).items())
    if (FindContainer(in.sandbox, spec.Get(Fields().name).AsString()) != nullptr) return true;
  return false;
}

bool ReadinessDiffers(const api::Object& pod) {
  if (pod.spec().Get(Fields().readiness_gates).empty()) return false;
  const Value& status = pod.status();
  const Value* now = api::FindCondition(status.Get(Fields().conditions), "Ready");
  if (now == nullptr) return false;
  StatusInput in;
  in.pod = pod;
  const Value wanted =
      ReadyCondition(in, ContainersReady(in, status.Get(Fields().init_container_statuses),
                                         status.Get(Fields().container_statuses),
                                         status.Get(Fields().phase).AsString()));
  return wanted.Get(Fields().status) != now->Get(Fields().status) ||
         wanted.Get(Fields().message).AsString() != now->Get(Fields().message).AsString();
}

// A pod that ran before the simulation keeps its addresses, of which it may have more, and fields
// that this kubelet does not write.
static Value WithAddressesOf(const Value& told, const Value& old, const Value& own) {
  Value out = Overlaid(old, own);
  for (const value::Atom field :
       {Fields().host_ip, Fields().host_ips, Fields().pod_ip, Fields().pod_ips})
    if (const Value* had = told.Find(field)) out = out.Set(field, *had);
  for (const value::Atom field : {Fields().message, Fields().reason})
    if (own.Find(field) == nullptr) out = out.Erase(field.text());
  return out;
}

Value GeneratePodStatus(const StatusInput& in) {
  const Value& old = in.old_status;
  const Value init =
      ContainerStatuses(in, Fields().init_containers, Fields().init_container_statuses);
  const Value containers = ContainerStatuses(in, Fields().containers, Fields().container_statuses);
  value::ObjectBuilder counted;
  counted.Add(Fields().container_statuses, containers).Add(Fields().init_container_statuses, init);
  const std::string_view old_phase = old.Get(Fields().phase).AsString();
  const std::string_view api_phase = in.pod.status().Get(Fields().phase).AsString();
  // 1.25: a pod that is being deleted keeps its phase until it is gone.
  const bool forced = in.terminal && in.profile->terminal_phase_before_deletion;
  const std::string_view phase =
      TerminalPhase(api_phase) ? api_phase
      : TerminalPhase(old_phase)
          ? old_phase
          : PhaseOf(in.pod, counted.Build(), forced, HasRegularContainer(in, containers));

  const Value host = Value::String(in.host_ip);
  const bool host_network = in.pod.spec().Get(Fields().host_network).AsBool();
  value::ObjectBuilder status;  // by name, which spares the sorting
  const auto keep = [&](value::Atom field) {
    if (const Value* kept = old.Find(field)) status.Add(field, *kept);
  };
  // Reason and message stay as long as the phase does.
  const auto keep_text = [&](value::Atom field) {
    if (phase != old_phase) return;
    const Value* text = old.Find(field);
    if (text == nullptr) text = &in.pod.status().Get(field);
    if (!text->is_null()) status.Add(field, *text);
  };
  status.Add(Fields().conditions, Conditions(in, init, containers, phase));
  status.Add(Fields().container_statuses, containers);
  status.Add(Fields().host_ip, host);
  if (in.profile->host_ips) status.Add(Fields().host_ips, value::Arr({Of(Fields().ip, host)}));
  if (!init.empty()) status.Add(Fields().init_container_statuses, init);
  keep_text(Fields().message);
  keep(Fields().nominated_node_name);
  if (in.profile->observed_generation && in.pod.generation() != 0)
    status.Add(Fields().observed_generation, Value::Int(in.pod.generation()));
  status.Add(Fields().phase, Value::String(phase));
  if (in.sandbox != nullptr || Has(old, Fields().pod_ip)) {
    const Value ip = in.sandbox == nullptr ? old.Get(Fields().pod_ip)
                     : host_network        ? host
                                           : Value::String(in.sandbox->ip);
    status.Add(Fields().pod_ip, ip);
    status.Add(Fields().pod_ips, value::Arr({Of(Fields().ip, ip)}));
  }
  keep(Fields().qos_class);
  keep_text(Fields().reason);
  status.Add(Fields().start_time, Has(old, Fields().start_time) ? old.Get(Fields().start_time)
                                                                : value::TimestampValue(in.now));
  const Value own = status.Build();
  if (in.sandbox == nullptr || !in.sandbox->adopted) return own;
  return WithAddressesOf(in.pod.status(), old, own);
}

}  // namespace ksim::kubelet
