// surge.max, avail.min, revisions, schedule.once and job.finalizers: real runs and what may legally
// happen are no violation, and each mutant of a trace is one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "recorded.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;
using Leaf = std::function<Value(const std::string& path, const Value& leaf)>;

constexpr const char* kEachCompat[] = {"1.25", "1.30", "1.36"};
constexpr std::string_view kDeploymentActor = "kube-controller-manager/deployment";

Is CommitOf(std::string resource, std::string op = "", std::string_view by = "") {
  return [=](const Record& r) {
    return r.kind == Kind::kCommit && r.Text("resource") == resource &&
           (op.empty() || r.Text("op") == op) && (by.empty() || r.Text("by") == by);
  };
}

// Edits the leaves of each commit that matches; a null Value drops a leaf. True if one was changed.
bool EditLeaves(Trace* t, const Is& is, const Leaf& edit) {
  bool changed = false;
  for (Record& r : t->events) {
    if (!is(r)) continue;
    std::vector<Value> leaves;
    for (const Value& leaf : r.Get("changed").items()) {
      const Value edited = edit(std::string(leaf.Get("path").AsString()), leaf);
      changed = changed || edited != leaf;
      if (!edited.is_null()) leaves.push_back(edited);
    }
    SetField(&r, "changed", Value::Array(std::move(leaves)));
  }
  return changed;
}

Leaf Set(std::string path, Value to) {
  return [=](const std::string& at, const Value& leaf) {
    return at == path ? leaf.Set("new", to) : leaf;
  };
}

// --- rollouts ----------------------------------------------------------------------------------

// A Deployment of four pods, with these steps and faults.
std::string Rollout(const std::string& strategy, const std::string& steps,
                    const std::string& faults = "", const std::string& more = "") {
  return fmt::format(R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {{name: rollout}}
spec:
  cluster: {{nodes: 2, controllers: [replicaset, deployment, garbagecollector]}}
  steps:
  - {{at: 0s, create: {{documents: all}}}}
{}
  faults: [{}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: default}}
spec:
  replicas: 4
  {}
  strategy: {}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{{name: c, image: "nginx:1.25"}}]
)",
                     steps, faults, more, strategy);
}

std::string NewImage(const std::string& at, const std::string& image) {
  return fmt::format(
      "  - {{at: {}, patch: {{resource: deployments/web, patch: {{spec: {{template: {{spec: "
      "{{containers: [{{name: c, image: \"{}\"}}]}}}}}}}}}}}}\n",
      at, image);
}

std::string Replicas(const std::string& at, int replicas) {
  return fmt::format("  - {{at: {}, scale: {{resource: deployments/web, replicas: {}}}}}\n", at,
                     replicas);
}

const char* const kRolling = "{rollingUpdate: {maxSurge: 1, maxUnavailable: 1}}";
const char* const kRecreate = "{type: Recreate}";

TEST(Rollouts, RealRunsAreSilent) {
  for (const char* compat : kEachCompat) {
    for (const char* strategy :
         {kRolling, kRecreate, "{rollingUpdate: {maxSurge: 0, maxUnavailable: \"30%\"}}",
          "{rollingUpdate: {maxSurge: \"30%\", maxUnavailable: 0}}"}) {
      const Trace t = RunOf(
          Rollout(strategy, NewImage("30s", "nginx:1.26") + NewImage("60s", "nginx:1.25")), compat);
      EXPECT_EQ(Messages(t), "") << compat << strategy;
      EXPECT_TRUE(Judges(t, "surge.max")) << compat << strategy;
      EXPECT_TRUE(Judges(t, "revisions")) << compat << strategy;
      EXPECT_EQ(Judges(t, "avail.min"), strategy != kRecreate) << compat << strategy;
    }
  }
}

TEST(Rollouts, MoreThanTheSurgeAllowsIsFound) {
  for (const char* compat : kEachCompat) {
    Trace t = RunOf(Rollout(kRolling, NewImage("30s", "nginx:1.26")), compat);
    const std::size_t second = Find(t, CommitOf("replicasets", "create"), 1);
    ASSERT_LT(second, t.events.size());
    const std::string name(t.events[second].Text("name"));
    const Is is = [&name](const Record& r) {
      return CommitOf("replicasets", "create")(r) && r.Text("name") == name;
    };
    ASSERT_TRUE(EditLeaves(&t, is, Set("spec.replicas", Value::Int(3))));
    EXPECT_NE(
        Said(t, "surge.max").find("to 3, which makes it 7 pods of a Deployment that may have 5"),
        std::string::npos)
        << Messages(t);
  }
}

TEST(Rollouts, AnAvailablePodTooManyIsFound) {
  for (const char* compat : kEachCompat) {
    Trace t = RunOf(Rollout(kRolling, NewImage("30s", "nginx:1.26")), compat);
    bool done = false;  // the first time that one gets smaller
    const Is lowered = CommitOf("replicasets", "update", kDeploymentActor);
    ASSERT_TRUE(EditLeaves(&t, lowered, [&done](const std::string& path, const Value& leaf) {
      const bool it =
          !done && path == "spec.replicas" && leaf.Get("new").AsInt() < leaf.Get("old").AsInt();
      done = done || it;
      return it ? leaf.Set("new", Value::Int(0)) : leaf;
    }));
    EXPECT_NE(Said(t, "avail.min").find("available pods to a Deployment that needs 3"),
              std::string::npos)
        << Messages(t);
  }
}

// The new ReplicaSet has pods from the beginning, as if the Deployment did not recreate.
TEST(Rollouts, NewPodsBesideOldOnesAreFoundWhereTheDeploymentRecreates) {
  for (const char* compat : kEachCompat) {
    Trace t = RunOf(Rollout(kRolling, NewImage("30s", "nginx:1.26")), compat);
    for (Record& r : t.events) {
      if (!CommitOf("deployments", "create")(r)) continue;
      std::vector<Value> leaves;
      for (const Value& leaf : r.Get("changed").items())
        if (!leaf.Get("path").AsString().starts_with("spec.strategy")) leaves.push_back(leaf);
      leaves.push_back(value::Obj({{"path", Value::Of("spec.strategy.type")},
                                   {"old", Value()},
                                   {"new", Value::Of("Recreate")}}));
      SetField(&r, "changed", Value::Array(std::move(leaves)));
    }
    EXPECT_NE(Said(t, "surge.max"), "") << Messages(t);
  }
}

// Sizes that the controller did not see, shares of a scaling, others' deletions, and a user's
// ReplicaSet.
TEST(Rollouts, WhatTheControllerCouldNotKnowIsLegal) {
  const std::string late =
      "{at: 29s, delayStream: {client: kube-controller-manager, resource: replicasets, by: 5s, "
      "for: "
      "60s}}";
  const std::string two =
      NewImage("30s", "nginx:1.26") + NewImage("33s", "nginx:1.27") + NewImage("36s", "nginx:1.25");
  const std::string scaled =
      NewImage("30s", "nginx:1.26") + Replicas("34s", 9) + Replicas("36s", 2);
  const std::string deleted =
      NewImage("30s", "nginx:1.26") +
      "  - {at: 32s, delete: {resource: pods, selector: app=web, limit: 2}}\n" +
      "  - {at: 60s, delete: {resource: replicasets, selector: app=web, limit: 1}}\n";
  for (const char* compat : kEachCompat) {
    for (const char* strategy : {kRolling, kRecreate}) {
      for (const std::string& steps : {two, scaled, deleted}) {
        const Trace t = RunOf(Rollout(strategy, steps, late), compat);
        EXPECT_EQ(Said(t, "surge.max") + Said(t, "avail.min") + Said(t, "revisions"), "")
            << compat << strategy << steps;
      }
    }
  }
}

// --- revisions ---------------------------------------------------------------------------------

TEST(Revisions, ANumberThatIsTakenIsFound) {
  for (const char* compat : kEachCompat) {
    Trace t = RunOf(Rollout(kRolling, NewImage("30s", "nginx:1.26")), compat);
    const std::size_t second = Find(t, CommitOf("replicasets", "create"), 1);
    ASSERT_LT(second, t.events.size());
    std::vector<Value> leaves;
    bool found = false;
    for (const Value& leaf : t.events[second].Get("changed").items()) {
      const bool it =
          leaf.Get("path").AsString().find("kubernetes.io/revision") != std::string::npos;
      found = found || it;
      leaves.push_back(it ? leaf.Set("new", Value::Of("1")) : leaf);
    }
    ASSERT_TRUE(found);
    SetField(&t.events[second], "changed", Value::Array(std::move(leaves)));
    EXPECT_NE(Said(t, "revisions").find(" revision 1, and knows that "), std::string::npos)
        << Messages(t);
  }
}

// A StatefulSet whose image changes, and whose history keeps nothing that is not in use.
Trace Update(const char* compat) {
  return RunOf(R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: update}
spec:
  cluster: {nodes: 2, controllers: [statefulset, daemonset]}
  steps:
  - {at: 0s, create: {documents: all}}
  - at: 30s
    patch:
      resource: statefulsets/web
      patch: {spec: {template: {spec: {containers: [{name: c, image: "nginx:1.26"}]}}}}
  - at: 60s
    patch:
      resource: statefulsets/web
      patch: {spec: {template: {spec: {containers: [{name: c, image: "nginx:1.27"}]}}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web, namespace: default}
spec:
  replicas: 2
  serviceName: web
  revisionHistoryLimit: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: c, image: "nginx:1.25"}]
)",
               compat);
}

TEST(Revisions, ARealUpdateIsSilent) {
  for (const char* compat : kEachCompat) {
    const Trace t = Update(compat);
    EXPECT_EQ(Messages(t), "") << compat;
    EXPECT_TRUE(Judges(t, "revisions")) << compat;
    EXPECT_LT(Find(t, CommitOf("controllerrevisions", "delete")), t.events.size());
  }
}

TEST(Revisions, ARevisionThatIsMadeTwiceIsFound) {
  for (const char* compat : kEachCompat) {
    Trace t = Update(compat);
    ASSERT_TRUE(EditLeaves(&t, CommitOf("controllerrevisions", "create"),
                           [](const std::string& path, const Value& leaf) {
                             return path.ends_with("image") && path.starts_with("data")
                                        ? leaf.Set("new", Value::Of("nginx:1.25"))
                                        : leaf;
                           }));
    EXPECT_NE(Said(t, "revisions").find(" once more"), std::string::npos) << Messages(t);
  }
}

TEST(Revisions, ANewestOneThatIsDeletedIsFound) {
  for (const char* compat : kEachCompat) {
    Trace t = Update(compat);
    const std::size_t first = Find(t, CommitOf("controllerrevisions", "create"));
    ASSERT_LT(first, t.events.size());
    std::vector<Value> leaves;
    for (const Value& leaf : t.events[first].Get("changed").items())
      leaves.push_back(leaf.Get("path").AsString() == "revision" ? leaf.Set("new", Value::Int(7))
                                                                 : leaf);
    SetField(&t.events[first], "changed", Value::Array(std::move(leaves)));
    EXPECT_NE(Said(t, "revisions").find("the newest revision of its owner"), std::string::npos)
        << Messages(t);
    EXPECT_NE(Said(t, "revisions").find("is at 7"), std::string::npos) << Messages(t);
  }
}

// --- schedule.once -----------------------------------------------------------------------------

// A CronJob whose Jobs take 90 s, with these steps and faults.
Trace Minutely(const char* compat, const std::string& policy, const std::string& steps = "",
               const std::string& faults = "") {
  return RunOf(fmt::format(R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {{name: minutely}}
spec:
  until: 6m
  cluster: {{nodes: 2, controllers: [job, cronjob, garbagecollector]}}
  steps:
  - {{at: 0s, create: {{documents: all}}}}
{}
  faults: [{}]
---
apiVersion: batch/v1
kind: CronJob
metadata: {{name: tidy, namespace: default}}
spec:
  schedule: "* * * * *"
  startingDeadlineSeconds: 200
  concurrencyPolicy: {}
  jobTemplate:
    spec:
      template:
        metadata: {{annotations: {{exit.ksim.dev/c: 0 after 90s}}}}
        spec:
          restartPolicy: Never
          terminationGracePeriodSeconds: 1
          containers: [{{name: c, image: busybox}}]
)",
                           steps, faults, policy),
               compat);
}

TEST(ScheduleOnce, RealRunsAreSilent) {
  for (const char* compat : kEachCompat) {
    for (const char* policy : {"Allow", "Forbid", "Replace"}) {
      const Trace t = Minutely(compat, policy);
      EXPECT_EQ(Messages(t), "") << compat << policy;
      EXPECT_TRUE(Judges(t, "schedule.once")) << compat << policy;
    }
  }
}

TEST(ScheduleOnce, EachMutantIsFound) {
  struct Case {
    const char* path;
    Value to;
    const char* message;
  };
  const Case cases[] = {
      {"spec.schedule", Value::Of("*/7 * * * *"), "for a time that its schedule does not have"},
      {"spec.concurrencyPolicy", Value::Of("Forbid"), "and knows that jobs/default/tidy-"},
      {"spec.concurrencyPolicy", Value::Of("Replace"), "and knows that jobs/default/tidy-"},
      {"spec.suspend", Value::Bool(true), "though its CronJob is suspended"},
      {"spec.startingDeadlineSeconds", Value::Int(-120), "after its deadline"},
      {"status.lastScheduleTime", Value::Of("2025-01-01T01:00:00Z"), "that has been started"}};
  for (const char* compat : kEachCompat) {
    for (const Case& c : cases) {
      Trace t = Minutely(compat, "Allow");
      ASSERT_TRUE(EditLeaves(&t, CommitOf("cronjobs"), Set(c.path, c.to))) << c.path;
      EXPECT_NE(Said(t, "schedule.once").find(c.message), std::string::npos)
          << compat << " " << c.path << "\n"
          << Messages(t);
    }
  }
}

// The controller dies before it writes down what it has started, its caches are late, and a user
// deletes Jobs.
TEST(ScheduleOnce, WhatTheControllerCouldNotKnowIsLegal) {
  const std::string steps = "  - {at: 2m, delete: {resource: jobs, all: true}}\n";
  const std::string faults[] = {
      "{at: 59s, crash: {process: kube-controller-manager, afterWrite: 1, down: 5s}}, "
      "{at: 119s, crash: {process: kube-controller-manager, afterWrite: 1, down: 70s}}",
      "{at: 50s, delayStream: {client: kube-controller-manager, resource: cronjobs, by: 65s}}",
      "{at: 50s, delayStream: {client: kube-controller-manager, resource: jobs, by: 65s}}",
      "{at: 50s, skewClock: {process: kube-controller-manager, by: 45s}}"};
  for (const char* compat : kEachCompat) {
    for (const char* policy : {"Allow", "Forbid", "Replace"}) {
      for (const std::string& fault : faults) {
        const Trace t = Minutely(compat, policy, "", fault);
        EXPECT_EQ(Said(t, "schedule.once"), "") << compat << policy << fault;
      }
    }
  }
}

// --- job.finalizers ----------------------------------------------------------------------------

TEST(JobFinalizers, RealRunsAreSilent) {
  for (const char* compat : kEachCompat) {
    const Trace t = Recorded("job-fails-twice", compat);
    EXPECT_EQ(Messages(t), "") << compat;
    EXPECT_TRUE(Judges(t, "job.finalizers")) << compat;
  }
}

TEST(JobFinalizers, AFinalizerThatStaysIsFound) {
  for (const char* compat : kEachCompat) {
    Trace t = Recorded("job-fails-twice", compat);
    ASSERT_TRUE(
        EditLeaves(&t, CommitOf("pods", "update"), [](const std::string& path, const Value& leaf) {
          const bool it = path.starts_with("metadata.finalizers") && leaf.Get("new").is_null();
          return it ? Value() : leaf;
        }));
    EXPECT_NE(Said(t, "job.finalizers").find("and its Job has ended"), std::string::npos)
        << compat << Messages(t);
  }
}

}  // namespace
}  // namespace ksim::check
