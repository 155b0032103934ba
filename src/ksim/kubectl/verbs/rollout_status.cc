#include "ksim/kubectl/verbs/rollout_status.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "ksim/api/conditions.h"
#include "ksim/value/text.h"

namespace ksim::kubectl {
namespace {

using value::Value;

constexpr std::string_view kRevisionAnnotation = "deployment.kubernetes.io/revision";

RolloutState Waiting(std::string text) {
  RolloutState state;
  state.text = std::move(text);
  return state;
}

RolloutState Done(std::string text) {
  RolloutState state = Waiting(std::move(text));
  state.done = true;
  return state;
}

RolloutState Failed(std::string error) {
  RolloutState state;
  state.error = std::move(error);
  return state;
}

bool IsObserved(const api::Object& object) {
  return object.generation() <= object.status().Get("observedGeneration").AsInt();
}

RolloutState OfDeployment(const api::Object& deployment, std::int64_t revision) {
  const std::string_view name = deployment.name();
  if (revision > 0) {
    const std::string_view text = deployment.Annotation(kRevisionAnnotation);
    const std::int64_t running = value::ParseGoInt(text.empty() ? "0" : text).value_or(0);
    if (running != revision) {
      return Failed(fmt::format("desired revision ({}) is different from the running revision ({})",
                                revision, running));
    }
  }
  if (!IsObserved(deployment))
    return Waiting("Waiting for deployment spec update to be observed...");
  const Value& status = deployment.status();
  const Value* const progressing = api::FindCondition(status.Get("conditions"), "Progressing");
  if (progressing != nullptr && progressing->Get("reason").AsString() == "ProgressDeadlineExceeded")
    return Failed(fmt::format("deployment \"{}\" exceeded its progress deadline", name));
  const std::int64_t wanted = deployment.spec().Get("replicas").AsInt();
  const std::int64_t updated = status.Get("updatedReplicas").AsInt();
  const std::int64_t replicas = status.Get("replicas").AsInt();
  const std::int64_t available = status.Get("availableReplicas").AsInt();
  const std::string waiting =
      fmt::format("Waiting for deployment \"{}\" rollout to finish: ", name);
  if (updated < wanted) {
    return Waiting(
        fmt::format("{}{} out of {} new replicas have been updated...", waiting, updated, wanted));
  }
  if (replicas > updated) {
    return Waiting(
        fmt::format("{}{} old replicas are pending termination...", waiting, replicas - updated));
  }
  if (available < updated) {
    return Waiting(
        fmt::format("{}{} of {} updated replicas are available...", waiting, available, updated));
  }
  return Done(fmt::format("deployment \"{}\" successfully rolled out", name));
}

constexpr const char* kOnlyRolling =
    "rollout status is only available for RollingUpdate strategy type";

bool Rolls(const api::Object& object) {
  static const value::Path kType{"updateStrategy", "type"};
  return object.spec().Get(kType).AsString() == "RollingUpdate";
}

RolloutState OfDaemonSet(const api::Object& set) {
  if (!Rolls(set)) return Failed(kOnlyRolling);
  if (!IsObserved(set)) return Waiting("Waiting for daemon set spec update to be observed...");
  const Value& status = set.status();
  const std::int64_t wanted = status.Get("desiredNumberScheduled").AsInt();
  const std::int64_t updated = status.Get("updatedNumberScheduled").AsInt();
  const std::int64_t available = status.Get("numberAvailable").AsInt();
  const std::string waiting =
      fmt::format("Waiting for daemon set \"{}\" rollout to finish: ", set.name());
  if (updated < wanted) {
    return Waiting(
        fmt::format("{}{} out of {} new pods have been updated...", waiting, updated, wanted));
  }
  if (available < wanted) {
    return Waiting(
        fmt::format("{}{} of {} updated pods are available...", waiting, available, wanted));
  }
  return Done(fmt::format("daemon set \"{}\" successfully rolled out", set.name()));
}

RolloutState OfStatefulSet(const api::Object& set) {
  if (!Rolls(set)) return Failed(kOnlyRolling);
  const Value& status = set.status();
  if (status.Get("observedGeneration").AsInt() == 0 || !IsObserved(set))
    return Waiting("Waiting for statefulset spec update to be observed...");
  const std::int64_t wanted = set.spec().Get("replicas").AsInt();
  const std::int64_t ready = status.Get("readyReplicas").AsInt();
  const std::int64_t updated = status.Get("updatedReplicas").AsInt();
  if (ready < wanted)
    return Waiting(fmt::format("Waiting for {} pods to be ready...", wanted - ready));
  static const value::Path kPartition{"updateStrategy", "rollingUpdate", "partition"};
  const Value& partition = set.spec().Get(kPartition);
  if (!partition.is_null()) {
    const std::int64_t to_update = wanted - partition.AsInt();
    if (updated < to_update) {
      return Waiting(fmt::format(
          "Waiting for partitioned roll out to finish: {} out of {} new pods have been updated...",
          updated, to_update));
    }
    return Done(
        fmt::format("partitioned roll out complete: {} new pods have been updated...", updated));
  }
  const std::string_view update = status.Get("updateRevision").AsString();
  const std::string_view current = status.Get("currentRevision").AsString();
  if (update != current) {
    return Waiting(
        fmt::format("waiting for statefulset rolling update to complete {} pods at "
                    "revision {}...",
                    updated, update));
  }
  return Done(fmt::format("statefulset rolling update complete {} pods at revision {}...",
                          status.Get("currentReplicas").AsInt(), current));
}

}  // namespace

RolloutState RolloutStateOf(const api::Object& object, std::int64_t revision) {
  if (object.kind() == "DaemonSet") return OfDaemonSet(object);
  if (object.kind() == "StatefulSet") return OfStatefulSet(object);
  return OfDeployment(object, revision);
}

}  // namespace ksim::kubectl
