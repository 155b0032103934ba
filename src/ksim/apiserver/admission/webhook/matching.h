// Matching: whether a webhook is to be asked about a request, and in which version of the resource.
//
// Source: apiserver pkg/admission/plugin/webhook/generic/webhook.go ShouldCallHook,
// predicates/{rules,namespace,object}.
#pragma once
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/apiserver/admission/plugin.h"
#include "ksim/apiserver/admission/webhook/hook.h"

namespace ksim::apiserver {

// A webhook that is asked, and about which resource: the request's or an equivalent of it.
struct Invocation {
  Invocation() = default;
  const Hook* hook = nullptr;  // null: it is not asked
  const api::ResourceInfo* resource = nullptr;
};

// Whether the rule matches the request, as if it were for `r`.
bool Matches(const HookRule& rule, const Attributes& a, const api::ResourceInfo& r);

// The configurations of admission themselves, for which no webhook is asked.
bool IsExempt(const api::ResourceInfo& r);

// The other versions of a resource at which the server serves the same objects.
std::vector<const api::ResourceInfo*> EquivalentsOf(const api::ResourceInfo& r,
                                                    const api::Kinds& kinds, api::Compat compat);

struct ConditionsResult;  // conditions.h

class HookMatcher {
 public:
  explicit HookMatcher(const PluginContext& context) : context_(context) {}
  // 404 if the request's namespace, which a selector asks for, does not exist.
  sim::Task<api::Result<Invocation>> Match(const Hook& hook, const Attributes& a);
  // Whether selectors, which can be read, take the request's namespace and object.
  sim::Task<api::Result<bool>> MatchSelectors(const value::LabelSelector& namespaces,
                                              const value::LabelSelector& objects,
                                              const Attributes& a);
  // The Namespace of that name, of the cache or, where that is late, of etcd.
  sim::Task<api::Result<value::Value>> NamespaceOf(SharedText name);

 private:
  Invocation MatchRules(const Hook& hook, const Attributes& a) const;
  // Its matchConditions, about the object at that resource.
  ConditionsResult JudgeHook(const Hook& hook, const Attributes& a,
                             const api::ResourceInfo& at) const;
  // The labels of the request's namespace.
  sim::Task<api::Result<value::Value>> NamespaceLabels(const Attributes& a);

  PluginContext context_;
};

}  // namespace ksim::apiserver
