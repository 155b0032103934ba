// The twelve steps of `kubectl create -f replicaset.yaml`: the guaranteed order holds for every
// seed, and steps without one come in several orders.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/api/pod.h"
#include "ksim/client/core/payloads.h"
#include "ksim/scenario/load.h"
#include "ksim/scenario/runner.h"
#include "ksim/store/events.h"
#include "ksim/value/json.h"

namespace ksim {
namespace {

// One write to the walk-through's objects.
struct Write {
  std::string by;  // the actor that asked for it
  std::string op;  // create update delete
  api::Object before, after;
  std::string About() const { return std::string((after.empty() ? before : after).kind()); }
};

struct Story {
  std::vector<Write> writes;  // in order of revision
  scenario::RunReport report;
  // Requests and responses about pods by the ReplicaSet controller: "POST", "answer".
  std::vector<std::string> posts;
};

api::Object ObjectOf(const store::KeyValue& kv) {
  if (!kv || !kv.value().is_object()) return {};
  return api::Object::FromTree(kv.value(), kv.mod_revision());
}

Story RunStory(std::uint64_t seed, api::Compat compat,
               const char* file = "scenarios/replicaset.yaml") {
  scenario::Loaded loaded = scenario::Load({file}, scenario::LoadOptions());
  EXPECT_TRUE(loaded.errors.empty());
  scenario::Scenario scenario = loaded.scenarios.at(0);
  scenario.seed = seed;
  scenario.compat = compat;
  scenario::Runner runner(scenario, scenario::RunnerOptions());
  Story story;
  story.report = runner.Run();
  std::set<std::uint64_t> open;
  for (const sim::Event& e : runner.events()) {
    if (e.kind == sim::EventKind::kCommit) {
      const auto& commit = e.payload.As<store::CommitPayload>();
      Write w;
      w.by = std::string(commit.by.name());
      w.op = commit.op == store::CommitOp::kCreate   ? "create"
             : commit.op == store::CommitOp::kDelete ? "delete"
                                                     : "update";
      w.before = ObjectOf(commit.prev);
      w.after = ObjectOf(commit.kv);
      if (w.About() == "Pod" || w.About() == "ReplicaSet") story.writes.push_back(std::move(w));
    } else if (e.kind == sim::EventKind::kRequest) {
      const auto& request = e.payload.As<client::RequestPayload>().request;
      if (request.verb != api::Verb::kCreate || request.resource->resource != "pods") continue;
      if (!request.subresource.empty()) continue;
      open.insert(request.id);
      story.posts.push_back("POST");
    } else if (e.kind == sim::EventKind::kResponse) {
      if (open.erase(e.payload.As<client::ResponsePayload>().id)) story.posts.push_back("answer");
    }
  }
  return story;
}

// The index of the first write that `is` accepts; the number of writes if there is none.
template <class Is>
std::size_t First(const Story& story, Is is) {
  std::size_t i = 0;
  while (i < story.writes.size() && !is(story.writes[i])) ++i;
  return i;
}

bool PodNamed(const Write& w, const std::string& name) {
  return w.About() == "Pod" && w.after.name() == name;
}

void ExpectPodInOrder(const Story& story, const std::string& name) {
  SCOPED_TRACE(name);
  const std::size_t created =
      First(story, [&](const Write& w) { return PodNamed(w, name) && w.op == "create"; });
  const std::size_t bound = First(story, [&](const Write& w) {
    return PodNamed(w, name) && w.before.node_name().empty() && !w.after.node_name().empty();
  });
  const std::size_t seen = First(story, [&](const Write& w) {
    return PodNamed(w, name) && w.after.status().Has("startTime");
  });
  const std::size_t running = First(story, [&](const Write& w) {
    return PodNamed(w, name) && api::PodView(w.after).phase() == "Running";
  });
  ASSERT_LT(running, story.writes.size());
  EXPECT_LT(created, bound);
  EXPECT_LT(bound, seen);
  EXPECT_LT(seen, running);
  EXPECT_EQ(story.writes[created].by, "kube-controller-manager/replicaset");
  EXPECT_EQ(story.writes[bound].by, "kube-scheduler");
  const std::string kubelet =
      fmt::format("kubelet/{}", std::string(story.writes[bound].after.node_name()));
  EXPECT_EQ(story.writes[seen].by, kubelet);
  EXPECT_EQ(story.writes[running].by, kubelet);
  EXPECT_TRUE(api::PodView(story.writes[running].after).ready());
}

void ExpectCausalOrder(const Story& story) {
  std::vector<std::string> pods;
  int ready = 0;
  int owner_updates = 0;
  for (const Write& w : story.writes) {
    if (w.About() == "Pod") {
      if (w.op == "create") pods.emplace_back(w.after.name());
      if (!api::PodView(w.before).ready() && api::PodView(w.after).ready()) ++ready;
      continue;
    }
    if (w.op == "create") {
      EXPECT_TRUE(pods.empty());
      EXPECT_EQ(w.by, "kubectl");
      EXPECT_EQ(w.after.generation(), 1);
      continue;
    }
    // The controller writes the first status after it asked for both pods, and counts the pods from
    // before.
    const value::Value& status = w.after.status();
    if (++owner_updates == 1) {
      EXPECT_EQ(pods.size(), 2u);
      EXPECT_EQ(status.Get("replicas").AsInt(), 0);
      EXPECT_EQ(status.Get("observedGeneration").AsInt(), 1);
    }
    EXPECT_LE(status.Get("replicas").AsInt(), static_cast<std::int64_t>(pods.size()));
    EXPECT_LE(status.Get("readyReplicas").AsInt(), ready);
  }
  ASSERT_EQ(pods.size(), 2u);
  for (const std::string& pod : pods) ExpectPodInOrder(story, pod);
  EXPECT_EQ(story.posts, (std::vector<std::string>{"POST", "answer", "POST", "answer"}));
  EXPECT_GE(owner_updates, 2);
}

constexpr api::Compat kProfiles[] = {api::Compat::k1_25, api::Compat::k1_30, api::Compat::k1_36};

// CTRL-RS-17, CTRL-RS-28, CTRL-RS-34: the guaranteed part of the order, for any seed.
TEST(Walkthrough, KeepsItsCausalOrder) {
  for (const api::Compat compat : kProfiles) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      SCOPED_TRACE(fmt::format("{} seed {}", api::ToString(compat), seed));
      const Story story = RunStory(seed, compat);
      EXPECT_EQ(story.report.exit_code, 0);
      ExpectCausalOrder(story);
      if (HasFailure()) return;
    }
  }
}

// Steps whose order is only typical happen in several orders.
TEST(Walkthrough, OrdersThatMayDifferDo) {
  std::set<std::string> orders;
  std::set<std::string> nodes;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    std::string order;
    for (const Write& w : RunStory(seed, api::Compat::k1_30).writes) {
      order += w.by.substr(0, w.by.find('/')) + " ";
      if (!w.after.empty() && !w.after.node_name().empty()) nodes.emplace(w.after.node_name());
    }
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 3u);
  EXPECT_EQ(nodes.size(), 3u);
}

// The fields that the API server fills in (the walk-through's rows 1 and 2), by profile.
TEST(Walkthrough, ObjectsCarryWhatTheirProfileGivesThem) {
  for (const api::Compat compat : kProfiles) {
    SCOPED_TRACE(api::ToString(compat));
    const Story story = RunStory(1, compat);
    const Write& rs = story.writes.front();
    EXPECT_EQ(value::ToJson(rs.after.status()), R"({"replicas":0})");
    const Write& pod = story.writes[First(
        story, [](const Write& w) { return w.About() == "Pod" && w.op == "create"; })];
    EXPECT_EQ(pod.after.generation(), compat == api::Compat::k1_36 ? 1 : 0);
    EXPECT_EQ(api::PodView(pod.after).phase(), "Pending");
    EXPECT_EQ(api::PodView(pod.after).qos_class(), "BestEffort");
    const value::Value& spec = pod.after.spec();
    EXPECT_EQ(spec.Get("tolerations").size(), 2u);
    EXPECT_EQ(spec.Get("serviceAccountName").AsString(), "default");
    EXPECT_EQ(spec.Get("priority").AsInt(), 0);
    EXPECT_EQ(spec.Get("preemptionPolicy").AsString(), "PreemptLowerPriority");
    EXPECT_TRUE(spec.Get("enableServiceLinks").AsBool());
    EXPECT_TRUE(spec.Get("volumes").at(0).Get("name").AsString().starts_with("kube-api-access-"));
    EXPECT_EQ(spec.Get("containers").at(0).Get("imagePullPolicy").AsString(), "Always");
    EXPECT_EQ(pod.after.controller()->uid, rs.after.uid());
    const Write& last = story.writes.back();
    EXPECT_EQ(last.after.status().Get("availableReplicas").AsInt(), 2);
    EXPECT_EQ(last.after.status().Has("terminatingReplicas"), compat == api::Compat::k1_36);
  }
}

// KUBELET-28, KUBELET-29, API-99, API-100: a deleted pod is marked, stopped and then removed; the
// ReplicaSet creates another.
TEST(Walkthrough, ADeletedPodGoesGracefullyAndIsReplaced) {
  for (const api::Compat compat : kProfiles) {
    SCOPED_TRACE(api::ToString(compat));
    const Story story = RunStory(1, compat, "scenarios/delete-pod.yaml");
    EXPECT_EQ(story.report.exit_code, 0);
    const std::size_t marked =
        First(story, [](const Write& w) { return w.About() == "Pod" && w.after.deleting(); });
    ASSERT_LT(marked, story.writes.size());
    EXPECT_EQ(story.writes[marked].by, "kubectl");
    const std::string name(story.writes[marked].after.name());
    const std::size_t gone =
        First(story, [&](const Write& w) { return w.op == "delete" && w.before.name() == name; });
    ASSERT_LT(gone, story.writes.size());
    EXPECT_TRUE(story.writes[gone].by.starts_with("kubelet/"));
    const api::PodView end(story.writes[gone].before);
    EXPECT_EQ(end.terminal(), compat != api::Compat::k1_25);
    EXPECT_EQ(end.deletion_grace_period_seconds(), 0);
    const auto created =
        std::count_if(story.writes.begin(), story.writes.end(),
                      [](const Write& w) { return w.About() == "Pod" && w.op == "create"; });
    EXPECT_EQ(created, 3);
  }
}

}  // namespace
}  // namespace ksim
