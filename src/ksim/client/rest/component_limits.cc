#include "ksim/client/rest/component_limits.h"

#include <utility>

namespace ksim::client {
namespace {

struct Limit {
  std::int64_t qps, burst;
};

Limit LimitOf(Limits component, api::Compat compat) {
  switch (component) {
    case Limits::kControllerManager:
      return {20, 30};
    case Limits::kKubelet:
    case Limits::kKubeletEvents:
      if (compat == api::Compat::k1_25) return {5, 10};
      break;
    case Limits::kControllerRuntime:
      return compat == api::Compat::k1_36 ? Limit{-1, 0} : Limit{20, 30};
    case Limits::kScheduler:
    case Limits::kGeneric:
      break;
  }
  return {50, 100};
}

}  // namespace

ClientOptions LimitedAs(Limits component, api::Compat compat, std::string user) {
  const Limit limit = LimitOf(component, compat);
  ClientOptions options;
  options.user = std::move(user);
  options.qps = limit.qps;
  options.burst = limit.burst;
  return options;
}

}  // namespace ksim::client
