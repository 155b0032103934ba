// daemonset.rollout and statefulset.rollout: real updates and what may legally happen are no
// violation, and each mutant of a trace is one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "recorded.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;

constexpr const char* kVersions[] = {"1.25", "1.30", "1.36"};

// A workload of this kind, with these lines of its spec, whose image changes at 30 s; further steps
// and faults.
Trace Updated(const char* compat, const std::string& kind, const std::string& spec,
              const std::string& steps = "", const std::string& faults = "") {
  return RunOf(fmt::format(R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {{name: update}}
spec:
  cluster: {{nodes: 4, controllers: [statefulset, daemonset, garbagecollector]}}
  steps:
  - {{at: 0s, create: {{documents: all}}}}
  - at: 30s
    patch:
      resource: {0}/web
      patch: {{spec: {{template: {{spec: {{containers: [{{name: c, image: "nginx:1.26"}}]}}}}}}}}
{2}
  faults: [{3}]
---
apiVersion: apps/v1
kind: {0}
metadata: {{name: web, namespace: default}}
spec:
  {1}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{{name: c, image: "nginx:1.25"}}]
)",
                           kind, spec, steps, faults),
               compat);
}

// Lines of a spec.
std::string Lines(const std::string& strategy) { return "updateStrategy: " + strategy; }
std::string SetLines(const std::string& strategy, const std::string& management = "OrderedReady") {
  return fmt::format(
      "replicas: 3\n  serviceName: web\n  podManagementPolicy: {}\n  updateStrategy: {}",
      management, strategy);
}

using EditOfLeaf = std::function<Value(const Record& commit, const Value& leaf)>;

// Edits the leaves of each commit of a resource. True if one was changed.
bool EditCommits(Trace* t, std::string_view resource, const EditOfLeaf& edit) {
  bool changed = false;
  for (Record& r : t->events) {
    if (r.kind != Kind::kCommit || r.Text("resource") != resource) continue;
    std::vector<Value> leaves;
    for (const Value& leaf : r.Get("changed").items()) {
      leaves.push_back(edit(r, leaf));
      changed = changed || leaves.back() != leaf;
    }
    SetField(&r, "changed", Value::Array(std::move(leaves)));
  }
  return changed;
}

bool SetLeaf(Trace* t, std::string_view resource, std::string_view path, const Value& to) {
  return EditCommits(t, resource, [&](const Record&, const Value& leaf) {
    return leaf.Get("path").AsString() == path ? leaf.Set("new", to) : leaf;
  });
}

constexpr std::string_view kHashPath = "metadata.labels.controller-revision-hash";

// The revision of the first pod that was made, or of the last.
Value RevisionOfPod(const Trace& t, bool last) {
  Value revision;
  for (const Record& r : t.events) {
    if (r.kind != Kind::kCommit || r.Text("resource") != "pods" || r.Text("op") != "create")
      continue;
    for (const Value& leaf : r.Get("changed").items())
      if (leaf.Get("path").AsString() == kHashPath) revision = leaf.Get("new");
    if (!last) break;
  }
  return revision;
}

// --- statefulset.rollout -----------------------------------------------------------------------

const char* const kSets = "statefulsets";
const char* const kSetOracle = "statefulset.rollout";

// CTRL-STS-05, CTRL-STS-06
TEST(StatefulSetRollout, RealUpdatesAreSilent) {
  for (const char* compat : kVersions) {
    for (const char* management : {"OrderedReady", "Parallel"}) {
      for (const char* strategy :
           {"{type: RollingUpdate}", "{type: RollingUpdate, rollingUpdate: {partition: 1}}",
            "{type: OnDelete}"}) {
        const Trace t = Updated(compat, "StatefulSet", SetLines(strategy, management));
        EXPECT_EQ(Messages(t), "") << compat << strategy;
        EXPECT_EQ(Judges(t, kSetOracle), std::string_view(strategy) != "{type: OnDelete}")
            << compat << strategy;
      }
    }
  }
}

TEST(StatefulSetRollout, APodThatOnlyTheUserMayDeleteIsFound) {
  for (const char* compat : kVersions) {
    Trace t = Updated(compat, "StatefulSet", SetLines("{type: RollingUpdate}"));
    ASSERT_TRUE(SetLeaf(&t, kSets, "spec.updateStrategy.type", Value::Of("OnDelete")));
    EXPECT_NE(Said(t, kSetOracle).find("though nobody but the user is to delete"),
              std::string::npos)
        << Messages(t);
  }
}

TEST(StatefulSetRollout, APodBelowThePartitionIsFound) {
  for (const char* compat : kVersions) {
    Trace t = Updated(compat, "StatefulSet",
                      SetLines("{type: RollingUpdate, rollingUpdate: {partition: 0}}"));
    ASSERT_TRUE(SetLeaf(&t, kSets, "spec.updateStrategy.rollingUpdate.partition", Value::Of(2)));
    const std::string found = Said(t, kSetOracle);
    EXPECT_NE(found.find("deletes pods/default/web-1, which is below the partition 2"),
              std::string::npos)
        << Messages(t);
    EXPECT_EQ(found.find("deletes pods/default/web-2"), std::string::npos) << found;
  }
}

// The highest one has got its old revision again, so it would have been the first to go.
TEST(StatefulSetRollout, APodThatGoesBeforeAHigherOneIsFound) {
  for (const char* compat : kVersions) {
    for (const char* management : {"OrderedReady", "Parallel"}) {
      Trace t = Updated(compat, "StatefulSet", SetLines("{type: RollingUpdate}", management));
      const Value old = RevisionOfPod(t, false);
      ASSERT_TRUE(EditCommits(&t, "pods", [&](const Record& r, const Value& leaf) {
        const bool it = r.Text("name") == "web-2" && leaf.Get("path").AsString() == kHashPath;
        return it ? leaf.Set("new", old) : leaf;
      }));
      EXPECT_NE(Said(t, kSetOracle).find("web-1, though web-2 is not ready in another revision"),
                std::string::npos)
          << Messages(t);
    }
  }
}

// A lower one is not ready: of an OrderedReady set no other goes, of a Parallel one it may.
TEST(StatefulSetRollout, APodThatGoesBesideOneThatIsNotReadyIsFound) {
  for (const char* compat : kVersions) {
    for (const bool ordered : {true, false}) {
      Trace t = Updated(compat, "StatefulSet",
                        SetLines("{type: RollingUpdate}", ordered ? "OrderedReady" : "Parallel"));
      ASSERT_TRUE(EditCommits(&t, "pods", [&](const Record& r, const Value& leaf) {
        const bool it = r.Text("name") == "web-0" && leaf.Get("new") == Value::Of("True");
        return it ? leaf.Set("new", Value::Of("False")) : leaf;
      }));
      EXPECT_EQ(Said(t, kSetOracle).find("web-2, though web-0 is not ready") != std::string::npos,
                ordered)
          << compat << Messages(t);
    }
  }
}

// Two syncs become one.
TEST(StatefulSetRollout, ASecondPodInOneSyncIsFound) {
  for (const char* compat : kVersions) {
    Trace t = Updated(compat, "StatefulSet", SetLines("{type: RollingUpdate}"));
    const Is deletes = [](const Record& r) {
      return r.kind == Kind::kRequest && r.Text("verb") == "delete" &&
             r.Text("resource") == "pods" && r.actor.ends_with("/statefulset");
    };
    const std::size_t first = Find(t, deletes), second = Find(t, deletes, 1);
    ASSERT_LT(second, t.events.size());
    const auto begin = t.events.begin();
    t.events.erase(std::remove_if(begin + static_cast<std::ptrdiff_t>(first),
                                  begin + static_cast<std::ptrdiff_t>(second),
                                  [](const Record& r) {
                                    return r.kind == Kind::kReconcile &&
                                           r.actor.ends_with("/statefulset");
                                  }),
                   begin + static_cast<std::ptrdiff_t>(second));
    EXPECT_NE(Said(t, kSetOracle).find("the second pod in one sync"), std::string::npos)
        << Messages(t);
  }
}

// Views that lag, scaling, pods that end or that others delete, a strategy that changes, a
// controller that dies.
TEST(StatefulSetRollout, WhatTheControllerCouldNotKnowIsLegal) {
  const std::string late =
      "{at: 29s, delayStream: {client: kube-controller-manager, resource: pods, by: 5s, for: 60s}}";
  const std::string steps[] = {
      "  - {at: 35s, scale: {resource: statefulsets/web, replicas: 1}}\n",
      "  - {at: 31s, scale: {resource: statefulsets/web, replicas: 5}}\n",
      "  - {at: 33s, delete: {resource: pods, selector: app=web, limit: 2}}\n",
      "  - {at: 36s, patch: {resource: statefulsets/web, patch: "
      "{spec: {updateStrategy: {$patch: replace, type: OnDelete}}}}}\n",
      "  - {at: 34s, patch: {resource: statefulsets/web, patch: "
      "{spec: {updateStrategy: {rollingUpdate: {partition: 2}}}}}}\n"};
  const std::string faults[] = {late,
                                "{at: 33s, crash: {process: kube-controller-manager, down: 2s}}",
                                "{at: 32s, stallHandler: {actor: kube-controller-manager, "
                                "resource: statefulsets, for: 20s}}"};
  std::size_t run = 0;  // each step and fault with each version or management in turn
  for (const char* management : {"OrderedReady", "Parallel"}) {
    for (const std::string& step : steps) {
      for (const std::string& fault : faults) {
        const char* const compat = kVersions[run++ % std::size(kVersions)];
        const Trace t = Updated(compat, "StatefulSet",
                                SetLines("{type: RollingUpdate}", management), step, fault);
        EXPECT_EQ(Said(t, kSetOracle), "") << compat << management << step << fault;
      }
    }
  }
}

// --- daemonset.rollout -------------------------------------------------------------------------

const char* const kDaemons = "daemonsets";
const char* const kDaemonOracle = "daemonset.rollout";

std::string Daemons(const std::string& rolling) {
  return Lines("{type: RollingUpdate, rollingUpdate: " + rolling + "}");
}

// CTRL-DS-13, CTRL-DS-14, CTRL-DS-15
TEST(DaemonSetRollout, RealUpdatesAreSilent) {
  for (const char* compat : kVersions) {
    for (const char* rolling :
         {"{maxUnavailable: 1}", "{maxUnavailable: 2}", "{maxUnavailable: \"60%\"}",
          "{maxSurge: 1, maxUnavailable: 0}", "{maxSurge: \"50%\", maxUnavailable: 0}"}) {
      const Trace t = Updated(compat, "DaemonSet", Daemons(rolling));
      EXPECT_EQ(Messages(t), "") << compat << rolling;
      EXPECT_TRUE(Judges(t, kDaemonOracle)) << compat << rolling;
    }
    const Trace t = Updated(compat, "DaemonSet", Lines("{type: OnDelete}"));
    EXPECT_EQ(Messages(t), "") << compat;
    EXPECT_FALSE(Judges(t, kDaemonOracle)) << compat;
  }
}

TEST(DaemonSetRollout, AReadyPodTooManyIsFound) {
  for (const char* compat : kVersions) {
    Trace t = Updated(compat, "DaemonSet", Daemons("{maxUnavailable: 2}"));
    ASSERT_TRUE(
        SetLeaf(&t, kDaemons, "spec.updateStrategy.rollingUpdate.maxUnavailable", Value::Of(1)));
    EXPECT_NE(Said(t, kDaemonOracle)
                  .find("which leaves 2 nodes without a ready pod to a DaemonSet that allows 1"),
              std::string::npos)
        << Messages(t);
  }
}

TEST(DaemonSetRollout, APodThatOnlyTheUserMayDeleteIsFound) {
  for (const char* compat : kVersions) {
    Trace t = Updated(compat, "DaemonSet", Daemons("{maxUnavailable: 1}"));
    ASSERT_TRUE(SetLeaf(&t, kDaemons, "spec.updateStrategy.type", Value::Of("OnDelete")));
    EXPECT_NE(Said(t, kDaemonOracle).find("though nobody but the user is to delete"),
              std::string::npos)
        << Messages(t);
  }
}

TEST(DaemonSetRollout, ASurgeThatIsTooGreatIsFound) {
  for (const char* compat : kVersions) {
    Trace t = Updated(compat, "DaemonSet", Daemons("{maxSurge: 2, maxUnavailable: 0}"));
    ASSERT_TRUE(SetLeaf(&t, kDaemons, "spec.updateStrategy.rollingUpdate.maxSurge", Value::Of(1)));
    EXPECT_NE(Said(t, kDaemonOracle)
                  .find("which gives 2 nodes a second pod of a DaemonSet that allows 1"),
              std::string::npos)
        << Messages(t);
  }
}

TEST(DaemonSetRollout, AnOldPodThatGoesBeforeItsSuccessorIsReadyIsFound) {
  for (const char* compat : kVersions) {
    Trace t = Updated(compat, "DaemonSet", Daemons("{maxSurge: 1, maxUnavailable: 0}"));
    const Value latest = RevisionOfPod(t, true);
    std::set<std::string> successors;
    EditCommits(&t, "pods", [&](const Record& r, const Value& leaf) {
      if (leaf.Get("path").AsString() == kHashPath && leaf.Get("new") == latest)
        successors.emplace(r.Text("name"));
      return leaf;
    });
    ASSERT_EQ(successors.size(), 4U);
    ASSERT_TRUE(EditCommits(&t, "pods", [&](const Record& r, const Value& leaf) {
      const bool it =
          successors.contains(std::string(r.Text("name"))) && leaf.Get("new") == Value::Of("True");
      return it ? leaf.Set("new", Value::Of("False")) : leaf;
    }));
    EXPECT_NE(Said(t, kDaemonOracle).find(" has no other ready pod yet"), std::string::npos)
        << Messages(t);
  }
}

// Views that lag, nodes that come and go, pods that others delete, availability that takes time,
// parameters that change, a controller that dies.
TEST(DaemonSetRollout, WhatTheControllerCouldNotKnowIsLegal) {
  const std::string steps[] = {
      "  - {at: 32s, addNode: {name: late}}\n  - {at: 34s, removeNode: {node: node-2}}\n",
      "  - {at: 33s, delete: {resource: pods, selector: app=web, limit: 2}}\n",
      "  - {at: 33s, patch: {resource: daemonsets/web, patch: {spec: {minReadySeconds: 7}}}}\n",
      "  - {at: 33s, patch: {resource: daemonsets/web, patch: "
      "{spec: {updateStrategy: {$patch: replace, type: OnDelete}}}}}\n",
      "  - {at: 33s, patch: {resource: daemonsets/web, patch: {spec: {updateStrategy: "
      "{rollingUpdate: {maxUnavailable: 3, maxSurge: 0}}}}}}\n"};
  const std::string faults[] = {
      "{at: 29s, delayStream: {client: kube-controller-manager, resource: pods, by: 5s, for: 60s}}",
      "{at: 33s, crash: {process: kube-controller-manager, down: 2s}}",
      "{at: 31s, delayStream: {client: kube-controller-manager, resource: nodes, by: 5s, for: "
      "60s}}",
      "{at: 31s, skewClock: {process: kube-controller-manager, by: 30s}}"};
  std::size_t run = 0;
  for (const char* rolling : {"{maxUnavailable: 2}", "{maxSurge: 2, maxUnavailable: 0}"}) {
    for (const std::string& step : steps) {
      for (const std::string& fault : faults) {
        const char* const compat = kVersions[run++ % std::size(kVersions)];
        const Trace t = Updated(compat, "DaemonSet", Daemons(rolling), step, fault);
        EXPECT_EQ(Said(t, kDaemonOracle), "") << compat << rolling << step << fault;
      }
    }
  }
}

}  // namespace
}  // namespace ksim::check
