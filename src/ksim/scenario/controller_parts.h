// Which controllers run in which process of a cluster.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/controllers/registry.h"
#include "ksim/scenario/scenario.h"

namespace ksim::scenario {

// "*" minus "-NAME", or those named; only what this ksim and that version of Kubernetes have.
std::vector<std::string> EnabledControllers(const std::vector<std::string>& names,
                                            api::Compat compat);

// Those of kube-controller-manager, or of each of its replicas: all that have no process of their
// own.
std::vector<std::string> ManagerControllers(const ClusterSpec& cluster, api::Compat compat);

// The controllers of each replica of `replicated` with that name: one of ksim's or the program's.
std::vector<std::string> ReplicatedControllers(const ClusterSpec& cluster, const std::string& name,
                                               api::Compat compat);

// PROCESS/PART of all of them: kube-controller-manager/replicaset.
std::vector<std::string> ControllerParts(const ClusterSpec& cluster, api::Compat compat);

// Whether a process of the cluster runs the built-in controller, or a guest that stands for
// kube-controller-manager does.
bool RunsController(const ClusterSpec& cluster, std::string_view name, api::Compat compat);

// Whether a process of the cluster runs a controller of its program.
bool RunsOwnController(const ClusterSpec& cluster);

// The controller of the register that does the work of `name` in this version, which may be another
// one, if no process of the cluster runs it or a sample in its place; else null.
const controllers::ControllerInfo* MissingController(const ClusterSpec& cluster, api::Compat compat,
                                                     std::string_view name);

// Whether somebody binds claims to volumes, if only a controller manager outside. Where nobody
// does, pods are placed as if they had no claims.
bool BindsClaims(const ClusterSpec& cluster, api::Compat compat);
// The fate of claims, and of pods that need them, where no controller of the run binds them.
std::string_view FateOfUnboundClaims(const ClusterSpec& cluster, api::Compat compat);

}  // namespace ksim::scenario
