// Access: what a user asks to do, as authorizers see it, and what they answer.
//
// Source: apiserver pkg/authorization/authorizer/{interfaces,rule}.go.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/request.h"
#include "ksim/apiserver/core/user.h"

namespace ksim::apiserver {

// authorizer.AttributesRecord, without its user.
struct Access {
  Access() = default;
  std::string verb;
  std::string group, resource, subresource, ns, name;
  std::string path;  // of a request for no resource; such a one has nothing else but its verb
  bool of_resource() const { return path.empty(); }
};

Access AccessOf(const api::Request& request);
// A request for a path that is no resource: /healthz, /api, /metrics.
Access AccessOfPath(std::string_view verb, std::string_view path);

struct Decision {
  Decision() = default;
  Decision(bool a, std::string r) : allowed(a), reason(std::move(r)) {}
  bool allowed = false;
  bool denied = false;  // whatever others say: spec.cluster.deny
  std::string reason;   // "RBAC: allowed by ...", or why nothing could be found; mostly empty
};

// A rule of a Role or ClusterRole (rbac.PolicyRule), and of the answer to a SelfSubjectRulesReview.
struct PolicyRule {
  PolicyRule() = default;
  std::vector<std::string> verbs, groups, resources, names, urls;
  friend bool operator==(const PolicyRule&, const PolicyRule&) = default;
};

// The rules that apply to a user, as far as they can be listed.
struct KnownRules {
  KnownRules() = default;
  std::vector<PolicyRule> rules;
  bool incomplete = false;
  std::string error;  // what could not be found
};

// AccessJudge: an authorizer that others than the pipeline ask, too: reviews, and paths that need
// no pipeline.
class AccessJudge {
 public:
  virtual ~AccessJudge() = default;
  virtual Decision Authorize(const User& user, const Access& access) const = 0;
  virtual KnownRules RulesFor(const User& user, std::string_view ns) const = 0;
  // The user of a request: its groups depend on how the cluster was set up.
  virtual User UserOf(const api::Request& request) const = 0;
  // Whether paths that are no resource are judged, too.
  virtual bool JudgesPaths() const = 0;
};

// 403, with upstream's text (API-137).
api::Status NotAuthorized(const User& user, const Access& access, std::string_view reason);

}  // namespace ksim::apiserver
