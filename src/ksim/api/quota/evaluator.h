// QuotaEvaluator: how quotas count the objects of one resource: which of a quota's names it has to
// do with, whether a quota's scopes mean an object, and how much of each name the object takes. API
// servers ask it before they store an object, the quota controller when it counts.
//
// Objects of most resources are only counted; pods, services and claims take more.
//
// Source: pkg/quota/v1/evaluator/core; apiserver pkg/quota/v1/generic/evaluator.go;
// pkg/quota/v1/install/{registry,update_filter}.go.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/kinds.h"
#include "ksim/api/quota/resource_list.h"
#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::api {

class QuotaEvaluator {
 public:
  QuotaEvaluator(const ResourceInfo& resource, Compat compat);

  const ResourceInfo& resource() const { return *resource_; }
  // Those of the names that it counts, sorted.
  std::vector<std::string> Matching(const std::vector<std::string>& names) const;
  // The quota counts something that it counts, and all its scopes mean the object.
  bool Matches(const value::Value& quota, const value::Value& object) const;
  bool InScopes(const value::Value& quota, const value::Value& object) const;
  // Why an object may not be without what a quota counts; "" = it may.
  std::string Constraints(const std::vector<std::string>& required,
                          const value::Value& object) const;
  ResourceList Usage(const value::Value& object, VirtualTime now) const;
  // Whether creating an object, or changing it, can take anything.
  bool HandlesCreate(std::string_view subresource) const;
  bool HandlesUpdate(std::string_view subresource, const value::Value& updated,
                     const value::Value& old) const;
  // Whether an update gives something back, so that quotas must be counted again.
  bool Replenishes(const value::Value& old, const value::Value& updated, VirtualTime now) const;

 private:
  enum class Kind : std::uint8_t { kPods, kServices, kClaims, kOther };
  bool Means(const value::Value& scope, const value::Value& object) const;

  const ResourceInfo* resource_;
  const Profile& profile_;
  Kind kind_ = Kind::kOther;
  std::string count_name_;  // count/pods, count/deployments.apps
  std::string alias_;       // configmaps; "" = none
};

// Events are counted by nobody.
bool IsIgnoredByQuotas(const ResourceInfo& resource);

// spec.scopes and spec.scopeSelector of a quota as one list of requirements.
std::vector<value::Value> QuotaScopes(const value::Value& quota);

}  // namespace ksim::api
