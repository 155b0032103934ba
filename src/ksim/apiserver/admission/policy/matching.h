// MatchResources: which requests a policy or a binding is about, and whether one is.
//
// Source: apiserver pkg/admission/plugin/policy/matching/matching.go.
#pragma once
#include <string>
#include <vector>

#include "ksim/apiserver/admission/plugin.h"
#include "ksim/apiserver/admission/webhook/matching.h"
#include "ksim/value/selector.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

struct NamedRule {
  NamedRule() = default;
  HookRule rule;
  std::vector<std::string> names;  // resourceNames; empty: whatever name
};

struct MatchResources {
  explicit MatchResources(const value::Value& tree);
  std::vector<NamedRule> rules, excluded;
  bool equivalent = true;  // matchPolicy Equivalent
  value::LabelSelector namespaces, objects;
  std::string bad_selector;  // why one of them cannot be read
};

class PolicyMatcher {
 public:
  explicit PolicyMatcher(const PluginContext& context) : context_(context), selectors_(context) {}
  // The resource as which the request is matched, its own or an equivalent; null: it is not. An
  // error if the request's namespace cannot be found.
  sim::Task<api::Result<const api::ResourceInfo*>> Match(const MatchResources& match,
                                                         const Attributes& a);
  HookMatcher& selectors() { return selectors_; }

 private:
  const api::ResourceInfo* MatchRules(const std::vector<NamedRule>& rules, bool equivalent,
                                      const Attributes& a) const;

  PluginContext context_;
  HookMatcher selectors_;
};

}  // namespace ksim::apiserver
