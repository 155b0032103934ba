// How fast each component may ask: the client-side rate limits of its configuration's defaults
// (CLIENT-97).
//
// Sources: pkg/controller/apis/config/v1alpha1/defaults.go,
// pkg/scheduler/apis/config/v1/defaults.go, pkg/kubelet/apis/config/v1beta1/defaults.go,
// component-base config/v1alpha1/defaults.go; controller-runtime pkg/client/config/config.go.
#pragma once
#include <string>

#include "ksim/client/client.h"

namespace ksim::client {

enum class Limits : std::uint8_t {
  kControllerManager,
  kScheduler,
  kKubelet,
  kKubeletEvents,
  kGeneric,
  kControllerRuntime
};

ClientOptions LimitedAs(Limits component, api::Compat compat, std::string user);

}  // namespace ksim::client
