#include "ksim/kubelet/status/pod_phase.h"

#include "ksim/api/core/fields.h"
#include "ksim/api/pod.h"

namespace ksim::kubelet {

using api::Fields;
using value::Value;

namespace {

bool IsIn(const Value& state, value::Atom kind) { return state.Find(kind) != nullptr; }

struct Tally {
  int waiting = 0, running = 0, stopped = 0, succeeded = 0, unknown = 0;
};

// The status of the container in a list that has them in the order of the spec, mostly.
const Value& StatusOf(const Value& statuses, std::size_t place, const Value& name) {
  if (place < statuses.size() && statuses.at(place).Get(Fields().name) == name)
    return statuses.at(place);
  return StatusNamed(statuses, name);
}

void CountRegular(const Value& status, Tally* t) {
  const Value& state = status.Get(Fields().state);
  if (IsIn(state, Fields().running)) {
    ++t->running;
  } else if (IsIn(state, Fields().terminated)) {
    ++t->stopped;
    if (state.Get(Fields().terminated).Get(Fields().exit_code).AsInt() == 0) ++t->succeeded;
  } else if (IsIn(state, Fields().waiting)) {
    ++(IsIn(status.Get(Fields().last_state), Fields().terminated) ? t->stopped : t->waiting);
  } else {
    ++t->unknown;
  }
}

// Init containers: those to come count as pending, a failed one of a pod that never restarts ends
// it. Sidecars that run or wait for the first time count among the others as well.
struct InitTally {
  int pending = 0, pending_sidecars = 0, failed = 0;
};

void CountInit(const Value& status, InitTally* init) {
  const Value& state = status.Get(Fields().state);
  const Value& holder = IsIn(state, Fields().waiting) ? status.Get(Fields().last_state) : state;
  const Value& end = holder.Get(Fields().terminated);
  if (end.is_null()) {
    ++init->pending;
  } else if (end.Get(Fields().exit_code).AsInt() != 0) {
    ++init->failed;
  }
}

void CountSidecar(const Value& status, InitTally* init, Tally* t) {
  const Value& state = status.Get(Fields().state);
  if (IsIn(state, Fields().running)) {
    if (!status.Get(Fields().started).AsBool()) ++init->pending_sidecars;
    ++t->running;
  } else if (IsIn(state, Fields().waiting) &&
             !IsIn(status.Get(Fields().last_state), Fields().terminated)) {
    ++init->pending_sidecars;
    ++t->waiting;
  } else if (!IsIn(state, Fields().waiting) && !IsIn(state, Fields().terminated)) {
    if (!status.is_null()) ++init->pending_sidecars;
    ++t->unknown;
  }
}

}  // namespace

const Value& StatusNamed(const Value& statuses, const Value& name) {
  static const Value none;
  for (const Value& s : statuses.items())
    if (s.Get(Fields().name) == name) return s;
  return none;
}

std::string_view PhaseOf(const api::Object& pod, const Value& status, bool terminal,
                         bool initialized) {
  const std::string_view policy = api::PodView(pod).restart_policy();
  Tally t;
  const Value& regular = pod.spec().Get(Fields().containers);
  for (std::size_t i = 0; i < regular.size(); ++i) {
    CountRegular(
        StatusOf(status.Get(Fields().container_statuses), i, regular.at(i).Get(Fields().name)), &t);
  }
  InitTally init;
  const Value& specs = pod.spec().Get(Fields().init_containers);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const Value& init_status =
        StatusOf(status.Get(Fields().init_container_statuses), i, specs.at(i).Get(Fields().name));
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

}  // namespace ksim::kubelet
