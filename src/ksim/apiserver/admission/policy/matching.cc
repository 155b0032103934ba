#include "ksim/apiserver/admission/policy/matching.h"

#include <algorithm>
#include <utility>

#include "ksim/apiserver/admission/webhook/hook.h"
#include "ksim/apiserver/admission/webhook/review.h"
#include "ksim/apiserver/server.h"

namespace ksim::apiserver {

using value::Value;

namespace {

std::vector<NamedRule> ReadNamedRules(const Value& tree) {
  std::vector<NamedRule> rules;
  for (const Value& item : tree.items()) {
    NamedRule named;
    named.rule = ReadHookRule(item);
    for (const Value& name : item.Get("resourceNames").items())
      named.names.emplace_back(name.AsString());
    rules.push_back(std::move(named));
  }
  return rules;
}

bool HasName(const NamedRule& rule, const Attributes& a) {
  return rule.names.empty() || std::find(rule.names.begin(), rule.names.end(),
                                         ReviewedName(a, a.object)) != rule.names.end();
}

}  // namespace

MatchResources::MatchResources(const Value& tree)
    : rules(ReadNamedRules(tree.Get("resourceRules"))),
      excluded(ReadNamedRules(tree.Get("excludeResourceRules"))),
      equivalent(tree.Get("matchPolicy").AsString() == "Equivalent"),
      namespaces(ReadHookSelector(tree.Get("namespaceSelector"), &bad_selector)),
      objects(ReadHookSelector(tree.Get("objectSelector"), &bad_selector)) {}

// matchesResourceRules
const api::ResourceInfo* PolicyMatcher::MatchRules(const std::vector<NamedRule>& rules,
                                                   bool equivalent, const Attributes& a) const {
  for (const NamedRule& rule : rules)
    if (Matches(rule.rule, a, a.resource) && HasName(rule, a)) return &a.resource;
  if (!equivalent) return nullptr;
  const auto others = EquivalentsOf(a.resource, context_.kinds, context_.shared.compat);
  for (const NamedRule& rule : rules) {
    for (const api::ResourceInfo* other : others)
      if (Matches(rule.rule, a, *other) && HasName(rule, a)) return other;
  }
  return nullptr;
}

sim::Task<api::Result<const api::ResourceInfo*>> PolicyMatcher::Match(const MatchResources& match,
                                                                      const Attributes& a) {
  const api::ResourceInfo* const none = nullptr;
  if (MatchRules(match.excluded, match.equivalent, a) != nullptr) co_return none;
  const api::ResourceInfo* resource = &a.resource;
  if (!match.rules.empty()) resource = MatchRules(match.rules, match.equivalent, a);
  // Whatever else is wrong, a request that the rules do not name is not matched.
  if (resource == nullptr) co_return none;
  if (!match.bad_selector.empty()) co_return api::InternalError(match.bad_selector);
  const api::Result<bool> selected =
      co_await selectors_.MatchSelectors(match.namespaces, match.objects, a);
  if (!selected.ok()) co_return selected.status();
  co_return *selected ? resource : none;
}

}  // namespace ksim::apiserver
