// Policy: the requests that a scenario forbids, and how many requests a server serves at a time.
// Plain data.
#pragma once
#include <string>
#include <vector>

namespace ksim::apiserver {

// Requests that are answered 403, in the words of Kubernetes' authorizers, whatever else allows
// them (even for system:masters). An empty field matches everything.
struct DenyRule {
  DenyRule() = default;
  std::string user;      // the name of a user, or of a group it is in
  std::string verb;      // "create"; "*" = every verb
  std::string resource;  // "pods", "replicasets.apps", "pods/binding", "pods/*", "*" = all of it
  std::string ns, name;
};

// --max-requests-inflight and --max-mutating-requests-inflight: how many requests that read, and
// how many that write, are served at a time; one more is answered 429 with Retry-After 1. Watches
// and system:masters do not count. 0 = no limit.
struct InFlightLimits {
  InFlightLimits() = default;
  int reading = 0;
  int mutating = 0;
};

struct RequestPolicy {
  RequestPolicy() = default;
  std::vector<DenyRule> deny;
  InFlightLimits in_flight;
  // --authorization-mode=Node,RBAC, else AlwaysAllow. The server then makes the roles and bindings
  // that RBAC begins with.
  bool rbac = false;
  // Users whose credentials say that they are in system:masters; of a cluster with RBAC.
  std::vector<std::string> masters;
};

}  // namespace ksim::apiserver
