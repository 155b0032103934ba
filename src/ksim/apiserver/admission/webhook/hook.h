// Hook: one webhook of a configuration, and HookSource: those that a server knows of, in the order
// in which they are called: by the name of the configuration, then as it lists them.
//
// Source: apiserver pkg/admission/plugin/webhook/accessors.go,
// pkg/admission/configuration/{mutating,validating}_webhook_manager.go.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/object.h"
#include "ksim/apiserver/admission/plugin.h"
#include "ksim/apiserver/outbound/webhook_client.h"
#include "ksim/base/time.h"
#include "ksim/cel/admission/expressions.h"
#include "ksim/value/selector.h"

namespace ksim::apiserver {

class Cacher;

struct HookRule {
  HookRule() = default;
  std::vector<std::string> operations, groups, versions, resources;
  std::string scope;  // "*", "Cluster" or "Namespaced"; "" as "*"
};

// matchConditions, compiled.
struct HookConditions {
  HookConditions(const value::Value& tree, api::Compat compat);
  cel::AdmissionExpressions expressions;
  std::vector<cel::AdmissionProgram> programs;
};

struct Hook {
  Hook() = default;
  std::string configuration, name;
  std::string uid;  // "configuration/name/N": it is the N-th of that name there
  std::vector<HookRule> rules;
  value::LabelSelector namespaces, objects;
  std::string bad_selector;  // why one of them cannot be read
  bool equivalent = true;    // matchPolicy Equivalent
  bool ignores_failures = false;
  bool reinvoked = false;  // reinvocationPolicy IfNeeded
  std::string side_effects;
  Duration timeout;
  std::vector<std::string> review_versions;
  std::shared_ptr<const HookConditions> conditions;  // null: none
  WebhookPlace place;
};

using Hooks = std::shared_ptr<const std::vector<Hook>>;

// One of the rules of a webhook or policy, and a selector; why it cannot be read in `problem`.
HookRule ReadHookRule(const value::Value& tree);
value::LabelSelector ReadHookSelector(const value::Value& tree, std::string* problem);

class HookSource {
 public:
  // `resource`: mutatingwebhookconfigurations or validatingwebhookconfigurations.
  HookSource(const PluginContext& context, std::string_view resource);

  // False if there is certainly no webhook: most servers never have one.
  bool MayHaveHooks() const;
  // Whether the server's caches of configurations and namespaces have been filled: as an informer
  // does, a server goes on with what it knew when a cache begins anew.
  bool ready() const;
  // Returns true once they are, false if they are not within 10 s.
  sim::Task<bool> WaitReady();
  // The webhooks as the server knows them now.
  Hooks Get();

 private:
  void Read(const api::Object& configuration, std::vector<Hook>* hooks) const;
  const Cacher* cacher() const;

  PluginContext context_;
  const api::ResourceInfo& resource_;
  const api::ResourceInfo& namespaces_;
  std::vector<std::pair<std::string, std::int64_t>> read_;  // names and versions behind `hooks_`
  Hooks hooks_;
  mutable bool synced_ = false;
};

}  // namespace ksim::apiserver
