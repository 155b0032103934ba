// Behaviour: what the programs in a pod's containers do, as the pod's annotations say. Without any
// a container runs until it is killed, an init container ends well, and every probe passes.
//
//   exit.ksim.dev/CONTAINER: "1 after 5s, 0 after 1m, runs"
//       how each of its runs ends, one after the other; the last goes for all that follow.
//       "oom after 5s": the kernel kills it, for it has more memory than its limit
//       "1 after 5s; 1 after 5s; 0 after 5s": between semicolons, how they end in each of the pods
//       that one owner makes, one pod after the other; the last goes for all that follow
//   pull.ksim.dev/CONTAINER: "fail after 2s, fail, pull"
//       how each pull of its image ends, and after how long; the last goes for all that follow
//   prestop.ksim.dev/CONTAINER: "5s"                            (also "fail after 5s", "fail")
//       how long its preStop hook takes, and that it fails
//   readiness.ksim.dev/CONTAINER: "fail 10s, pass 30s, fail"     (also liveness, startup)
//       what the probe finds, counted from the container's start; the last goes on for ever.
//       pass, fail, or error: the probe itself does not work
//
// An entry that cannot be read ends the list.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "ksim/api/object.h"
#include "ksim/base/time.h"

namespace ksim::kubelet {

struct RunPlan {
  RunPlan() = default;
  std::optional<int> exit_code;  // nothing: it runs until it is killed
  bool oom = false;              // it is killed for its memory: 137, OOMKilled
  Duration after;                // its start
};

// The `run`-th run of a container, from 0, in the `ordinal`-th pod of its owner, from 0; nullopt if
// the annotations say nothing of it.
std::optional<RunPlan> PlanOf(const api::Object& pod, std::string_view container, int run,
                              std::uint64_t ordinal = 0);

// The same of a list without an ordinal, as an image has it.
std::optional<RunPlan> PlanIn(std::string_view list, int run);

struct PullPlan {
  PullPlan() = default;
  bool fails = false;
  std::optional<Duration> after;  // its begin; nothing: as long as pulls take
};

// The `pull`-th pull of a container's image, from 0; nullopt if the annotations say nothing of it.
std::optional<PullPlan> PullPlanOf(const api::Object& pod, std::string_view container, int pull);

// How a container's preStop hook goes.
struct HookPlan {
  HookPlan() = default;
  Duration takes;
  bool fails = false;
};

// A hook that sleeps takes so long, be it `sleep` itself or a command that does nothing else; any
// other takes no time, unless prestop.ksim.dev/CONTAINER says more. nullopt: there is none.
std::optional<HookPlan> PreStopPlanOf(const api::Object& pod, std::string_view container);

enum class ProbeType : std::uint8_t { kLiveness, kReadiness, kStartup };
std::string_view ToString(ProbeType type);  // "liveness"
std::string_view FieldOf(ProbeType type);   // "livenessProbe"

enum class ProbeOutcome : std::uint8_t { kPass, kFail, kError };

// The outcome of a probe of a container that has run for `age`.
ProbeOutcome OutcomeOf(const api::Object& pod, std::string_view container, ProbeType type,
                       Duration age);

}  // namespace ksim::kubelet
