// The rules of Roles and ClusterRoles: what they allow, and whether some cover others.
//
// Sources: pkg/apis/rbac/v1/evaluation_helpers.go, plugin/pkg/auth/authorizer/rbac/rbac.go
// RuleAllows; component-helpers auth/rbac/validation/policy_comparator.go,
// pkg/registry/rbac/validation/policy_compact.go.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "ksim/apiserver/core/access.h"
#include "ksim/value/value.h"

namespace ksim::apiserver::rbac {

// The rules of a Role's or ClusterRole's tree.
std::vector<PolicyRule> RulesIn(const value::Value& role);

bool RuleAllows(const PolicyRule& rule, const Access& access);
bool RulesAllow(std::span<const PolicyRule> rules, const Access& access);

// The parts of `wanted` that `held` does not cover, each of one verb, group and resource.
std::vector<PolicyRule> NotCovered(std::span<const PolicyRule> held,
                                   std::span<const PolicyRule> wanted);
// Puts the verbs of rules that differ in nothing else into one rule.
std::vector<PolicyRule> Compact(std::span<const PolicyRule> rules);

// {APIGroups:["apps"], Resources:["deployments"], Verbs:["get"]}
std::string CompactString(const PolicyRule& rule);
// ["a" "b"], as Go's %q prints a list.
std::string QuotedList(std::span<const std::string> texts);

}  // namespace ksim::apiserver::rbac
