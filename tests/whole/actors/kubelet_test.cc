// A kubelet on real API servers: the pods that name its node, their statuses, and its Node and
// Lease.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/client/core/payloads.h"
#include "ksim/value/timestamp.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::StartsWith;

std::string BoundPod(std::string_view name, std::string_view more = {}) {
  return PodJson(name, "{}", "", R"(,"nodeName":"n1")" + std::string(more));
}

std::string Phase(ActorWorld& w, std::string_view pod) {
  return std::string(w.Get("pods", pod).status().Get("phase").AsString());
}

std::string ConditionOf(const api::Object& object, std::string_view type) {
  for (const value::Value& c : object.status().Get("conditions").items())
    if (c.Get("type").AsString() == type) return std::string(c.Get("status").AsString());
  return "";
}

class KubeletActor : public testing::TestWithParam<api::Compat> {
 protected:
  KubeletActor() : w(GetParam()) {}
  // Requests about pods since the last call: "get", "patch status", "delete uid".
  std::vector<std::string> PodRequests(std::string_view name) {
    std::vector<std::string> out;
    for (std::size_t i = w.from(); i < w.events().size(); ++i) {
      if (w.events()[i].kind != sim::EventKind::kRequest) continue;
      const api::Request& r = w.events()[i].payload.As<client::RequestPayload>().request;
      if (r.resource->resource != "pods" || r.name != name) continue;
      std::string line(api::ToString(r.verb));
      if (!r.subresource.empty()) line += " " + r.subresource;
      if (r.verb == api::Verb::kDelete) line += r.del.uid ? " uid" : " any";
      out.push_back(line);
    }
    w.Forget();
    return out;
  }
  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, KubeletActor, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// KUBELET-01
TEST_P(KubeletActor, RunsThePodsThatNameItsNodeOnly) {
  w.StartKubelet("n1");
  w.Create("pods", BoundPod("mine"));
  w.Create("pods", PodJson("nobodys"));
  w.Create("pods", PodJson("others", "{}", "", R"(,"nodeName":"n2")"));
  w.Advance(Seconds(30));
  EXPECT_EQ(Phase(w, "mine"), "Running");
  EXPECT_EQ(Phase(w, "nobodys"), "Pending");
  EXPECT_EQ(Phase(w, "others"), "Pending");
  std::string selector;
  for (const sim::Event& e : w.events()) {
    if (e.kind != sim::EventKind::kRequest) continue;
    const api::Request& r = e.payload.As<client::RequestPayload>().request;
    if (r.verb == api::Verb::kWatch && r.resource->resource == "pods")
      selector = r.list.field_selector;
  }
  EXPECT_EQ(selector, "spec.nodeName=n1");
}

// KUBELET-02: another uid under the same name is another pod; a change of the status alone is no
// update.
TEST_P(KubeletActor, APodMadeAnewUnderTheSameNameIsStoppedAndStarted) {
  w.StartKubelet("n1");
  w.Create("pods", BoundPod("p"));
  w.Advance(Seconds(30));
  w.Freeze("pods");
  w.Delete("pods", "p", Grace(0));
  w.Create("pods", BoundPod("p"));
  w.Relist("pods");
  w.Freeze("pods", false);
  w.Forget();
  w.Advance(Minutes(2));
  EXPECT_EQ(Phase(w, "p"), "Running");
  const std::string id(
      w.Get("pods", "p").status().Get("containerStatuses").at(0).Get("containerID").AsString());
  w.Patch("pods", "p", R"({"status":{"nominatedNodeName":"x"}})", "status");
  w.Advance(Seconds(30));
  EXPECT_EQ(
      w.Get("pods", "p").status().Get("containerStatuses").at(0).Get("containerID").AsString(), id);
}

// KUBELET-09, KUBELET-13, KUBELET-14: the kubelet writes the status first and starts init
// containers one by one, then all others; the Events have the version's wording.
TEST_P(KubeletActor, StartsInitContainersOneByOneThenTheOthersInOrder) {
  w.StartKubelet("n1");
  w.Create("pods", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{
    "nodeName":"n1",
    "initContainers":[{"name":"one","image":"i:1"},{"name":"two","image":"i:1"}],
    "containers":[{"name":"a","image":"i:1"},{"name":"b","image":"i:1"}]}})");
  w.Advance(Minutes(1));
  EXPECT_EQ(Phase(w, "p"), "Running");
  const std::vector<std::string> texts = w.EventTexts();
  const bool v125 = GetParam() == api::Compat::k1_25, v136 = GetParam() == api::Compat::k1_36;
  EXPECT_THAT(texts, Contains(v136   ? "Normal Created Container created"
                              : v125 ? "Normal Created Created container one"
                                     : "Normal Created Created container: one"));
  EXPECT_THAT(texts, Contains(v136 ? "Normal Started Container started"
                                   : "Normal Started Started container one"));
  EXPECT_THAT(texts, Contains(StartsWith("Normal Pulling Pulling image \"i:1\"")));
  EXPECT_THAT(texts,
              Contains(testing::ContainsRegex(
                  v125 ? "pulled image \"i:1\" in [^ ]+ \\([^ ]+ including waiting\\)$"
                       : "pulled image \"i:1\" in [^ ]+ \\([^ ]+ including waiting\\)\\. Image "
                         "size: [0-9]+ bytes\\.$")));
  EXPECT_THAT(texts,
              Contains(v136 ? "Normal Pulled Container image \"i:1\" already present on machine "
                              "and can be accessed by the pod"
                            : "Normal Pulled Container image \"i:1\" already present on machine"));
  const value::Value status = w.Get("pods", "p").status();
  const auto finished = [&](int i) {
    return *value::ParseTimestamp(status.Get("initContainerStatuses")
                                      .at(static_cast<std::size_t>(i))
                                      .Get("state")
                                      .Get("terminated")
                                      .Get("finishedAt")
                                      .AsString());
  };
  const auto started = [&](int i) {
    return *value::ParseTimestamp(status.Get("containerStatuses")
                                      .at(static_cast<std::size_t>(i))
                                      .Get("state")
                                      .Get("running")
                                      .Get("startedAt")
                                      .AsString());
  };
  EXPECT_LE(finished(0), finished(1));
  EXPECT_LE(finished(1), started(0));
  EXPECT_LE(started(0), started(1));
}

// KUBELET-24: a live GET, then a PATCH of the status with the uid in it, and only if it differs.
TEST_P(KubeletActor, ReadsLiveThenPatchesTheStatusWithTheUid) {
  w.StartKubelet("n1");
  w.Forget();
  const api::Object pod = w.Create("pods", BoundPod("p"));
  w.Advance(Minutes(1));
  std::size_t patches = 0;
  bool read = false;
  for (std::size_t i = w.from(); i < w.events().size(); ++i) {
    if (w.events()[i].kind != sim::EventKind::kRequest) continue;
    const api::Request& r = w.events()[i].payload.As<client::RequestPayload>().request;
    if (r.resource->resource != "pods" || r.name != "p") continue;
    if (r.verb == api::Verb::kGet) read = true;
    if (r.verb != api::Verb::kPatch) continue;
    EXPECT_TRUE(read);
    EXPECT_EQ(r.body.Get("metadata").Get("uid").AsString(), pod.uid());
    EXPECT_FALSE(r.body.Get("metadata").Has("resourceVersion"));
    ++patches;
    read = false;
  }
  EXPECT_GE(patches, 1u);
  w.Forget();
  w.Advance(Minutes(3));
  EXPECT_THAT(PodRequests("p"), testing::Not(Contains("patch status"))) << "nothing is new";
}

// KUBELET-26: the kubelet keeps the conditions that others wrote.
TEST_P(KubeletActor, LeavesTheConditionsOfOthersAlone) {
  w.StartKubelet("n1");
  w.Create("pods", BoundPod("p"));
  w.Patch("pods", "p", R"({"status":{"conditions":[{"type":"example.dev/seen","status":"True"}]}})",
          "status");
  w.Advance(Minutes(1));
  EXPECT_EQ(ConditionOf(w.Get("pods", "p"), "example.dev/seen"), "True");
  EXPECT_EQ(ConditionOf(w.Get("pods", "p"), "Ready"), "True");
}

// KUBELET-28, KUBELET-29: the kubelet stops a pod that is marked for deletion, writes its status,
// and at last deletes it with its uid as precondition.
TEST_P(KubeletActor, ADeletedPodIsStoppedToldAndThenDeletedForGood) {
  w.StartKubelet("n1");
  w.Create("pods", BoundPod("p"));
  w.Advance(Seconds(30));
  w.Forget();
  w.Delete("pods", "p", Grace(30));
  w.Advance(Minutes(2));
  EXPECT_TRUE(w.Get("pods", "p").empty());
  const std::vector<std::string> requests = PodRequests("p");
  ASSERT_FALSE(requests.empty());
  EXPECT_THAT(requests, Contains("patch status"));
  EXPECT_THAT(requests, Contains("delete uid"));
  const auto last_patch = std::find(requests.rbegin(), requests.rend(), "patch status");
  const auto first_delete = std::find(requests.begin(), requests.end(), "delete uid");
  EXPECT_LT(std::distance(requests.begin(), last_patch.base()) - 1,
            std::distance(requests.begin(), first_delete));
}

// KUBELET-23: the final status comes while the status manager sends an earlier one, and follows at
// once instead of at the next tick of ten seconds.
TEST_P(KubeletActor, AStatusThatComesWhileAnotherIsBeingSentFollowsAtOnce) {
  w.StartKubelet("n1");
  w.Create("pods", BoundPod("p"));
  w.Advance(Seconds(30));
  w.Delete("pods", "p", Grace(30));
  w.Advance(Seconds(3));
  EXPECT_TRUE(w.Get("pods", "p").empty());
}

// KUBELET-05, KUBELET-20: the next sync, which a change of the pod triggers, sees it.
TEST_P(KubeletActor, APhaseThatSomebodyElseEndedStopsTheContainers) {
  w.StartKubelet("n1");
  w.Create("pods", BoundPod("p"));
  w.Advance(Seconds(30));
  w.Forget();
  w.Patch("pods", "p", R"({"status":{"phase":"Failed","reason":"Gone"}})", "status");
  w.Patch("pods", "p", R"({"metadata":{"labels":{"look":"again"}}})");
  w.Advance(Minutes(2));
  EXPECT_THAT(w.EventTexts(), Contains(StartsWith("Normal Killing Stopping container c")));
  const value::Value status = w.Get("pods", "p").status();
  EXPECT_EQ(status.Get("phase").AsString(), "Failed");
  EXPECT_TRUE(status.Get("containerStatuses").at(0).Get("state").Has("terminated"));
}

// KUBELET-05
TEST_P(KubeletActor, APodThatIsOverWhenItIsFirstSeenIsNotStarted) {
  w.Create("pods", BoundPod("p"));
  w.Patch("pods", "p", R"({"status":{"phase":"Succeeded"}})", "status");
  w.Settle();
  w.StartKubelet("n1");
  w.Advance(Minutes(1));
  for (const sim::Event& e : w.events()) EXPECT_NE(e.kind, sim::EventKind::kRuntime);
  EXPECT_EQ(Phase(w, "p"), "Succeeded");
}

// KUBELET-04: a pod that is being deleted does not begin again. A pull ends at once, which upstream
// means to and does not do (docs/fidelity.md).
TEST_P(KubeletActor, ADeletionCutsTheRunningSyncShort) {
  w.StartKubelet("n1");
  w.Create("pods", BoundPod("p"));
  std::vector<std::string> texts;
  for (int i = 0; i < 100 && texts.empty(); ++i) {
    w.Advance(Milliseconds(100));
    texts = w.EventTexts();
  }
  EXPECT_THAT(texts, Contains(StartsWith("Normal Pulling")));
  w.Delete("pods", "p", Grace(30));
  w.Patch("pods", "p", R"({"metadata":{"labels":{"a":"b"}}})");
  w.Advance(Minutes(2));
  EXPECT_THAT(w.EventTexts(), testing::Not(Contains(StartsWith("Normal Started"))));
  EXPECT_TRUE(w.Get("pods", "p").empty());
}

// KUBELET-32, KUBELET-35
TEST_P(KubeletActor, RegistersItsNodeReady) {
  w.StartKubelet("n1");
  const api::Object node = w.Get("nodes", "n1");
  ASSERT_FALSE(node.empty());
  EXPECT_EQ(node.Label("kubernetes.io/hostname"), "n1");
  EXPECT_EQ(node.status().Get("capacity").Get("pods").AsString(), "110");
  EXPECT_EQ(ConditionOf(node, "Ready"), "True");
  for (const value::Value& c : node.status().Get("conditions").items()) {
    if (c.Get("type").AsString() == "Ready") {
      EXPECT_EQ(c.Get("reason").AsString(), "KubeletReady");
    }
  }
}

// KUBELET-32: the kubelet reads an existing Node and updates it.
TEST_P(KubeletActor, TakesOverANodeThatIsThere) {
  w.AddNode("n1", "7");
  w.StartKubelet("n1");
  w.Advance(Seconds(15));
  EXPECT_EQ(w.Get("nodes", "n1").status().Get("capacity").Get("pods").AsString(), "110");
  EXPECT_EQ(w.Get("nodes", "n1").Label("kubernetes.io/os"), "linux");
}

// KUBELET-32: the kubelet restores its own labels and keeps a user's changes of other labels and of
// resources.
TEST_P(KubeletActor, LeavesAUsersLabelsAloneWhenItComesBack) {
  w.StartKubelet("n1");
  w.Patch("nodes", "n1", R"({"metadata":{"labels":{"kubernetes.io/os":"plan9","disk":"hdd"}}})");
  sim::Process* kubelet = w.api.sim.FindProcess("kubelet/n1");
  kubelet->Kill();
  w.Settle();
  w.Forget();
  kubelet->Start();
  w.Advance(Seconds(2));
  const api::Object node = w.Get("nodes", "n1");
  EXPECT_EQ(node.Label("kubernetes.io/os"), "linux");
  EXPECT_EQ(node.Label("disk"), "hdd");
  for (std::size_t i = w.from(); i < w.events().size(); ++i) {
    if (w.events()[i].kind != sim::EventKind::kRequest) continue;
    const api::Request& r = w.events()[i].payload.As<client::RequestPayload>().request;
    if (r.verb != api::Verb::kPatch || r.name != "n1") continue;
    EXPECT_TRUE(r.body.Get("status").Get("capacity").is_null());
    break;
  }
}

// KUBELET-33
TEST_P(KubeletActor, RenewsItsLeaseEveryTenSecondsAndALittle) {
  w.StartKubelet("n1");
  w.Forget();
  w.Advance(Minutes(10));
  std::vector<VirtualTime> renewals;
  for (std::size_t i = w.from(); i < w.events().size(); ++i) {
    if (w.events()[i].kind != sim::EventKind::kRequest) continue;
    const api::Request& r = w.events()[i].payload.As<client::RequestPayload>().request;
    if (r.resource->resource != "leases") continue;
    EXPECT_EQ(r.verb, api::Verb::kUpdate);
    EXPECT_EQ(r.ns, "kube-node-lease");
    EXPECT_EQ(r.body.Get("spec").Get("leaseDurationSeconds").AsInt(), 40);
    renewals.push_back(w.events()[i].time);
  }
  ASSERT_GE(renewals.size(), 50u);
  for (std::size_t i = 1; i < renewals.size(); ++i) {
    EXPECT_GE(renewals[i] - renewals[i - 1], Seconds(10));
    EXPECT_LE(renewals[i] - renewals[i - 1], Milliseconds(10420));
  }
}

// KUBELET-33: the Node owns the lease, however fast the kubelet learns of its own Node.
TEST_P(KubeletActor, ItsLeaseBelongsToItsNode) {
  w.Freeze("nodes");
  w.StartKubelet("n1");
  w.Advance(Seconds(5));
  std::string owner;
  for (std::size_t i = 0; i < w.events().size(); ++i) {
    if (w.events()[i].kind != sim::EventKind::kRequest) continue;
    const api::Request& r = w.events()[i].payload.As<client::RequestPayload>().request;
    if (r.resource->resource == "leases" && r.verb == api::Verb::kCreate)
      owner = r.body.Get("metadata").Get("ownerReferences").at(0).Get("uid").AsString();
  }
  EXPECT_EQ(owner, w.Get("nodes", "n1").uid());
}

// KUBELET-33: a restarted kubelet finds its lease and renews it at once.
TEST_P(KubeletActor, RenewsTheLeaseThatItFindsWhenItStarts) {
  w.StartKubelet("n1");
  w.Advance(Minutes(1));
  sim::Process* kubelet = w.api.sim.FindProcess("kubelet/n1");
  kubelet->Kill();
  w.Advance(Seconds(30));
  w.Forget();
  kubelet->Start();
  w.Advance(Seconds(5));
  int renewals = 0;
  for (std::size_t i = w.from(); i < w.events().size(); ++i) {
    if (w.events()[i].kind != sim::EventKind::kRequest) continue;
    const api::Request& r = w.events()[i].payload.As<client::RequestPayload>().request;
    renewals += r.resource->resource == "leases" && r.verb == api::Verb::kUpdate;
  }
  EXPECT_EQ(renewals, 1);
}

// KUBELET-33: a renewal sets renewTime and leaves the rest of the lease unchanged.
TEST_P(KubeletActor, RenewsALeaseThatSomebodyElseChanged) {
  w.StartKubelet("n1");
  api::Request patch = w.api.Request(api::Verb::kPatch, "leases", "kube-node-lease", "n1");
  patch.patch_type = api::PatchType::kMerge;
  patch.body = apiserver::Json(R"({"spec":{"leaseDurationSeconds":25}})");
  EXPECT_EQ(w.Do(std::move(patch)).code, 200);
  w.Forget();
  w.Advance(Seconds(11));
  std::vector<std::int64_t> seconds;
  for (std::size_t i = w.from(); i < w.events().size(); ++i) {
    if (w.events()[i].kind != sim::EventKind::kRequest) continue;
    const api::Request& r = w.events()[i].payload.As<client::RequestPayload>().request;
    if (r.resource->resource == "leases" && r.verb == api::Verb::kUpdate)
      seconds.push_back(r.body.Get("spec").Get("leaseDurationSeconds").AsInt());
  }
  // The first update has the version that the kubelet knew, and conflicts.
  EXPECT_EQ(seconds, (std::vector<std::int64_t>{40, 25}));
}

// KUBELET-34: the kubelet checks its Node's status every 10 s and reports an unchanged one every 5
// min.
TEST_P(KubeletActor, TellsANodesStatusEveryFiveMinutesUnlessItChanges) {
  w.StartKubelet("n1");
  w.Advance(Minutes(1));
  w.Writes();
  w.Advance(Minutes(21));
  const std::vector<std::string> writes = w.Writes();
  const auto told = std::count(writes.begin(), writes.end(), "patch nodes/n1/status");
  EXPECT_GE(told, 3);
  EXPECT_LE(told, 5);
}

// KUBELET-37: the first list is as old as the watch cache that serves it (1.25, 1.30), so a
// restarted kubelet may start a pod that has been deleted. 1.36 lists at the newest version.
TEST_P(KubeletActor, MayStartFromAnOldListBefore136) {
  w.Create("pods", BoundPod("gone"));
  w.Settle();
  w.Freeze("pods");
  w.Delete("pods", "gone", Grace(0));
  w.StartKubelet("n1");
  w.Advance(Seconds(30));
  bool started = false;
  for (const sim::Event& e : w.events()) started = started || e.kind == sim::EventKind::kRuntime;
  EXPECT_EQ(started, GetParam() != api::Compat::k1_36);
  EXPECT_TRUE(w.Get("pods", "gone").empty()) << "it writes nothing about it";
}

}  // namespace
}  // namespace ksim
