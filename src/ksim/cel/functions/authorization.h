// Values that ask an authorizer: authorizer.group("apps").resource("deployments").check("create").
//
// Upstream: k8s.io/apiserver pkg/cel/library/authz.go.
#pragma once
#include <functional>
#include <string>

#include "ksim/cel/values/val.h"

namespace ksim::cel {

// The question of an expression: about a resource, or a path.
struct AccessQuestion {
  std::string verb;
  std::string group, resource, subresource, ns, name;
  std::string path;  // empty: of a resource
  // The service account for which is asked; without a name, the user of the request.
  std::string account_namespace, account_name;
};

struct AccessAnswer {
  bool allowed = false;
  std::string reason;
};

using AccessOracle = std::function<AccessAnswer(const AccessQuestion&)>;

// The values of the variables authorizer and authorizer.requestResource.
Val AuthorizerValue(AccessOracle oracle);
Val ResourceCheckValue(AccessOracle oracle, AccessQuestion about);

}  // namespace ksim::cel
