// LimitsOf: how fast a controller of kube-controller-manager may ask, and in whose name: each has a
// service account of its own, which a few share.
//
// Source: cmd/kube-controller-manager/app/core.go NewClient.
#pragma once
#include <string>
#include <string_view>

#include "ksim/client/rest/component_limits.h"
#include "ksim/controllers/controller.h"

namespace ksim::controllers {

inline client::ClientOptions LimitsOf(const ControllerContext& context, std::string_view account) {
  return client::LimitedAs(client::Limits::kControllerManager, context.connection.compat(),
                           "system:serviceaccount:kube-system:" + std::string(account));
}

}  // namespace ksim::controllers
