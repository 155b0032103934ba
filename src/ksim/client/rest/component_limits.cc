#include "ksim/client/rest/component_limits.h"

#include <utility>

#include "ksim/client/core/profile.h"

namespace ksim::client {
namespace {

struct Limit {
  std::int64_t qps, burst;
};

Limit LimitOf(Limits component, const Profile& profile) {
  switch (component) {
    case Limits::kControllerManager:
      return {20, 30};
    case Limits::kKubelet:
    case Limits::kKubeletEvents:
      return {profile.kubelet_qps, profile.kubelet_burst};
    case Limits::kControllerRuntime:
      return {profile.controller_runtime_qps, profile.controller_runtime_burst};
    case Limits::kScheduler:
    case Limits::kGeneric:
      break;
  }
  return {50, 100};
}

}  // namespace

ClientOptions LimitedAs(Limits component, api::Compat compat, std::string user) {
  const Limit limit = LimitOf(component, ProfileOf(compat));
  ClientOptions options;
  options.user = std::move(user);
  options.qps = limit.qps;
  options.burst = limit.burst;
  return options;
}

}  // namespace ksim::client
