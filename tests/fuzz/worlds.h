// Scenarios that fuzz tests share.
#pragma once
#include <fmt/format.h>

#include <string>

#include "ksim/base/check.h"
#include "ksim/scenario/load.h"

namespace ksim::fuzz {

inline scenario::Scenario Parsed(const std::string& text) {
  scenario::LoadOptions options;
  options.read = [&text](const std::string&) -> absl::StatusOr<std::string> { return text; };
  scenario::Loaded loaded = scenario::Load({"test.yaml"}, options);
  KSIM_CHECK(loaded.errors.empty()) << Render(loaded.errors, false);
  return std::move(loaded.scenarios.at(0));
}

// kubernetes/kubernetes#129795: a ReplicaSet controller that has not seen its own pods for five
// minutes creates them again when another event wakes it. `faults` are the kinds that a campaign
// may draw.
inline scenario::Scenario ExpiredExpectations(const std::string& faults = "[delayStream]",
                                              int nodes = 1) {
  return Parsed(fmt::format(R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {{name: expired-expectations}}
spec:
  compat: "1.25"
  cluster: {{nodes: {}, controllers: [replicaset]}}
  steps:
  - {{at: 0s, create: {{document: ReplicaSet/web}}}}
  - {{at: 302s, annotate: {{resource: replicasets/web, set: {{touched: "yes"}}}}}}
  fuzz: {{faults: {}, window: 15m}}
  expect:
  - always: {{resource: pods, selector: app=web, count: {{max: 1}}}}
  checks: [expect, limit]
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {{name: web, namespace: default}}
spec:
  replicas: 1
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      containers:
      - {{name: web, image: nginx}}
)",
                            nodes, faults));
}

}  // namespace ksim::fuzz
