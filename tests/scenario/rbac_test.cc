// Clusters with `authorization: rbac`: everybody may do what it has to, and no more.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ksim/client/core/payloads.h"
#include "ksim/scenario/runner.h"
#include "ksim/store/events.h"
#include "ksim/value/json.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

constexpr const char* kReplicaSet =
    "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: w}, spec: {replicas: 3, selector: "
    "{matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, "
    "image: nginx}]}}}}";

// The texts of all refusals by the authorizers from `since` on, each once.
std::set<std::string> Refusals(const Runner& runner, VirtualTime since) {
  std::set<std::string> texts;
  for (const sim::Event& e : runner.events()) {
    if (e.kind != sim::EventKind::kResponse || e.time < since) continue;
    const auto& p = e.payload.As<client::ResponsePayload>();
    const std::string text(p.status.message.view());
    if (p.code == 403 && text.find("User \"") != text.npos) texts.insert(text);
  }
  return texts;
}

// API-252: the roles that Kubernetes begins with are those that its parts need.
TEST(RbacScenario, NobodyIsRefusedWhatItHasToDo) {
  for (const api::Compat compat : {api::Compat::k1_25, api::Compat::k1_30, api::Compat::k1_36}) {
    Scenario scenario = FromSpec(fmt::format(
        "  compat: \"{}\"\n"
        "  cluster: {{nodes: 2, authorization: rbac, controllers: [\"*\", namespace, "
        "serviceaccount, "
        "garbagecollector, nodelifecycle, podgc, disruption, resourcequota, "
        "root-ca-cert-publisher, "
        "nodeipam{}]}}\n"
        "  steps:\n"
        "  - {{at: 0s, create: {{object: {}}}}}\n"
        "  - {{at: 20s, create: {{object: {{apiVersion: v1, kind: Namespace, metadata: {{name: "
        "n}}}}}}}}\n"
        "  - {{create: {{object: {{apiVersion: v1, kind: ResourceQuota, metadata: {{name: q}}, "
        "spec: "
        "{{hard: {{pods: \"5\"}}}}}}}}}}\n"
        "  - {{create: {{object: {{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: "
        "{{name: b}}, spec: {{maxUnavailable: 1, selector: {{matchLabels: {{a: b}}}}}}}}}}}}\n"
        "  - {{scale: {{resource: rs/w, replicas: 1}}}}\n"
        "  - {{at: 40s, drain: {{node: node-1}}}}\n"
        "  - {{removeNode: node-1}}\n"
        "  - {{delete: {{resource: rs/w}}}}\n"
        "  - {{delete: {{resource: ns/n}}}}\n",
        api::ToString(compat), compat == api::Compat::k1_25 ? "" : ", tainteviction", kReplicaSet));
    Runner runner(scenario, RunnerOptions());
    const RunReport report = runner.Run();
    EXPECT_EQ(report.exit_code, 0) << api::ToString(compat);
    EXPECT_EQ(Refusals(runner, VirtualTime() + Seconds(10)), std::set<std::string>());
  }
}

// API-250: the process asks as its service account, and kubectl --as as whom it says.
TEST(RbacScenario, ProcessesAndStepsAskAsTheyAreTold) {
  const Scenario scenario = FromSpec(
      "  cluster: {nodes: 1, authorization: rbac, processes: {rs: [replicaset]}, serviceAccounts: "
      "{rs: default/robot}}\n"
      "  steps: [{at: 0s, as: jane, delete: {resource: pods/x, wait: false}}]\n");
  Runner runner(scenario, RunnerOptions());
  runner.Run();
  std::set<std::string> users;
  for (const sim::Event& e : runner.events()) {
    if (e.kind != sim::EventKind::kRequest) continue;
    const auto& p = e.payload.As<client::RequestPayload>();
    const std::string client = p.request.client.str();
    if (client == "rs" || client == "kubectl") users.insert(client + " " + p.request.user.str());
  }
  EXPECT_EQ(users,
            (std::set<std::string>{"kubectl jane", "rs system:serviceaccount:default:robot"}));
}

// API-139: as kubeadm has it, NodeRestriction goes with RBAC.
TEST(RbacScenario, AKubeletIsHeldToItsOwnNode) {
  const auto refusals = [](const char* authorization) {
    const Scenario scenario =
        FromSpec(fmt::format("  cluster: {{nodes: 2, authorization: {}}}\n"
                             "  steps: [{{at: 5s, as: \"system:node:node-1\", label: {{resource: "
                             "nodes/node-2, set: {{a: b}}}}}}]\n",
                             authorization));
    Runner runner(scenario, RunnerOptions());
    runner.Run();
    std::set<std::string> texts;
    for (const sim::Event& e : runner.events()) {
      if (e.kind != sim::EventKind::kResponse) continue;
      const auto& p = e.payload.As<client::ResponsePayload>();
      std::string text = p.status.message.str();
      if (p.code == 403 && text.find("not allowed") != text.npos) texts.insert(std::move(text));
    }
    return texts;
  };
  EXPECT_EQ(refusals("rbac"),
            (std::set<std::string>{"nodes \"node-2\" is forbidden: node \"node-1\" is not allowed "
                                   "to modify node \"node-2\""}));
  EXPECT_EQ(refusals("alwaysAllow"), std::set<std::string>());
}

// The scenario that a trace's header has is the same.
TEST(RbacScenario, IsWrittenBack) {
  const Scenario scenario = FromSpec(
      "  cluster: {authorization: rbac, processes: {rs: [replicaset]}, serviceAccounts: {rs: "
      "a/b}}\n"
      "  steps: [{at: 0s, as: jane, cordon: node-1}]\n");
  const std::string json = value::ToJson(ToTree(scenario));
  EXPECT_NE(json.find(R"("authorization":"rbac")"), std::string::npos);
  EXPECT_NE(json.find(R"("serviceAccounts":{"rs":"a/b"})"), std::string::npos);
  EXPECT_NE(json.find(R"("as":"jane")"), std::string::npos);
}

TEST(RbacScenario, WhatCannotBeIsSaidWithItsPlace) {
  const struct {
    const char *spec, *error;
  } rows[] = {
      {"  cluster: {authorization: rback}\n", "unknown authorization \"rback\""},
      {"  cluster: {serviceClusterIPRange: 10.0.0.0/31}\n",
       "\"10.0.0.0/31\" is no range of IPv4 addresses from /12 to /30, like 10.96.0.0/12"},
      {"  cluster: {serviceClusterIPRange: fd00::/108}\n",
       "\"fd00::/108\" is no range of IPv4 addresses from /12 to /30, like 10.96.0.0/12"},
      {"  cluster: {serviceAccounts: {rs: default/rs}}\n", "spec.cluster.processes has no \"rs\""},
      {"  cluster: {processes: {rs: [replicaset]}, serviceAccounts: {rs: robot}}\n",
       "\"robot\" is no NAMESPACE/NAME"},
      {"  cluster: {authorization: rbac, controllers: [{name: replicaset, replicas: 2}]}\n",
       "with authorization: rbac the replicas of \"replicaset\" may not hold a lease"},
      {"  steps: [{as: jane, addNode: {name: x}}]\n", "a machine joins in nobody's name"},
      {"  steps: [{as: [jane], cordon: node-1}]\n", "spec.steps[0].as must be the name of a user"},
  };
  for (const auto& row : rows)
    EXPECT_NE(Render(LoadSpec(row.spec).errors, false).find(row.error), std::string::npos)
        << row.spec << Render(LoadSpec(row.spec).errors, false);
}

}  // namespace
}  // namespace ksim::scenario
