// Preemption on real API servers: the scheduler's requests about its victims, their order, and the
// pod that gets the place.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ksim/client/core/payloads.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;

using Strings = std::vector<std::string>;

template <class T>
T ByVersion(api::Compat compat, T v25, T v30, T v36) {
  if (compat == api::Compat::k1_25) return v25;
  return compat == api::Compat::k1_30 ? v30 : v36;
}

// A node and the priorities `high` (1000) and `higher` (2000).
void Prepare(ActorWorld& w, std::string_view room) {
  w.AddNode("n1", room);
  for (const auto& [name, value] : {std::pair("high", 1000), std::pair("higher", 2000)})
    w.Create("priorityclasses",
             fmt::format(R"({{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass",
                             "metadata":{{"name":"{}"}},"value":{}}})",
                         name, value));
  w.StartScheduler();
}

// A pod that holds ports of its node.
std::string PodWithPorts(std::string_view name, std::string_view priority,
                         std::string_view ports = "") {
  const std::string of =
      priority.empty() ? "" : fmt::format(R"(,"priorityClassName":"{}")", priority);
  std::string json = PodJson(name, R"({"app":"web"})", "", of);
  const std::string image = R"("image":)";
  if (!ports.empty()) json.insert(json.find(image), fmt::format(R"("ports":[{}],)", ports));
  return json;
}

std::string Port(int port) {
  return fmt::format(R"({{"containerPort":{0},"hostPort":{0}}})", port);
}

void DeleteNow(ActorWorld& w, std::string_view pod) {
  api::DeleteOptions now;
  now.grace_period_seconds = 0;
  w.Delete("pods", pod, now);
}

std::string Nominated(ActorWorld& w, std::string_view pod) {
  return std::string(w.Get("pods", pod).status().Get("nominatedNodeName").AsString());
}

std::string MessageOf(ActorWorld& w, std::string_view pod) {
  return std::string(w.Get("pods", pod).status().Get("conditions").at(0).Get("message").AsString());
}

// The Events with this reason: "POD for RELATED POD: NOTE".
Strings EventNotes(ActorWorld& w, std::string_view reason) {
  Strings out;
  for (const sim::Event& e : w.events()) {
    if (e.kind != sim::EventKind::kRequest) continue;
    const value::Value& body = e.payload.As<client::RequestPayload>().request.body;
    if (body.Get("kind").AsString() != "Event" || body.Get("reason").AsString() != reason) continue;
    out.push_back(fmt::format("{} for {}: {}", body.Get("regarding").Get("name").AsString(),
                              body.Get("related").Get("name").AsString(),
                              body.Get("note").AsString()));
  }
  return out;
}

// SCHED-29
TEST(SchedulerPreemption, AsksALowerPodToGoAndTakesItsPlace) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    Prepare(w, "2");
    for (const char* pod : {"a", "b"}) {
      w.Create("pods", PodWithPorts(pod, ""));
      w.Settle();  // so that the node's list has them in this order
    }
    w.Writes();
    const std::string uid(w.Create("pods", PodWithPorts("h", "high")).uid());
    w.Advance(Milliseconds(500));  // before it is tried again
    const Strings writes = w.Writes();
    // 1.36: the cycle does not wait for its victims.
    EXPECT_THAT(writes, ElementsAreArray(ByVersion<Strings>(
                            compat, {"delete pods/a", "patch pods/h/status"},
                            {"patch pods/a/status", "delete pods/a", "patch pods/h/status"},
                            {"patch pods/h/status", "patch pods/a/status", "delete pods/a"})));
    EXPECT_EQ(Nominated(w, "h"), "n1");
    const api::Object victim = w.Get("pods", "a");
    EXPECT_TRUE(victim.deleting());
    value::Value why;
    for (const value::Value& c : victim.status().Get("conditions").items())
      if (c.Get("type").AsString() == "DisruptionTarget") why = c;
    EXPECT_EQ(why.Get("reason").AsString(),
              compat == api::Compat::k1_25 ? "" : "PreemptionByScheduler");
    EXPECT_EQ(why.Get("message").AsString(),
              compat == api::Compat::k1_25
                  ? ""
                  : "default-scheduler: preempting to accommodate a higher priority pod");
    // A real 1.36 does not name the preemptor.
    EXPECT_THAT(EventNotes(w, "Preempted"),
                ElementsAreArray({ByVersion<std::string>(compat, "a for h: Preempted by a pod",
                                                         "a for h: Preempted by pod " + uid,
                                                         "a for : Preempted by pod " + uid) +
                                  " on node n1"}));

    w.Create("pods", PodWithPorts("late", ""));
    w.Settle();
    DeleteNow(w, "a");
    w.Advance(Seconds(15));
    EXPECT_EQ(w.NodeOf("h"), "n1");
    EXPECT_EQ(w.NodeOf("late"), "") << "the place is not for the quickest";
    EXPECT_EQ(Nominated(w, "h"), compat == api::Compat::k1_36 ? "" : "n1");
  }
}

// SCHED-29: 1.25 deletes the victims one after another, 1.30 all at once, 1.36 all but the last at
// once.
TEST(SchedulerPreemption, SeveralVictimsAreAskedInTheVersionsOrder) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    Prepare(w, "10");
    int port = 80;
    for (const char* pod : {"a", "b", "c"}) {
      w.Create("pods", PodWithPorts(pod, "", Port(port++)));
      w.Settle();  // so that the node's list has them in this order
    }
    w.Writes();
    w.Create("pods", PodWithPorts("h", "high", Port(80) + "," + Port(81) + "," + Port(82)));
    w.Settle();
    Strings writes = w.Writes();
    std::erase(writes, "patch pods/h/status");
    // The server answers concurrent requests in any order.
    const auto verbs = [&](std::size_t from, std::size_t to) {
      Strings sorted(writes.begin() + static_cast<std::ptrdiff_t>(from),
                     writes.begin() + static_cast<std::ptrdiff_t>(to));
      std::sort(sorted.begin(), sorted.end());
      return sorted;
    };
    ASSERT_EQ(writes.size(), compat == api::Compat::k1_25 ? 3u : 6u);
    const Strings deletes{"delete pods/a", "delete pods/b", "delete pods/c"};
    const Strings patches{"patch pods/a/status", "patch pods/b/status", "patch pods/c/status"};
    const bool last_apart = compat == api::Compat::k1_36;
    if (compat == api::Compat::k1_25) {  // it sorts them once, and they have not started
      EXPECT_EQ(writes, (Strings{deletes[2], deletes[1], deletes[0]}));
    } else {
      EXPECT_EQ(verbs(0, last_apart ? 2 : 3),
                Strings(patches.begin(), patches.begin() + (last_apart ? 2 : 3)));
    }
    if (last_apart) {
      EXPECT_EQ(Strings(writes.begin() + 4, writes.end()), (Strings{patches[2], deletes[2]}));
    }
    for (const char* pod : {"a", "b", "c"}) EXPECT_TRUE(w.Get("pods", pod).deleting()) << pod;
  }
}

// SCHED-29: 1.36 writes the nomination before it deletes the victims, earlier versions after it.
TEST(SchedulerPreemption, ALowerPodsNominationToTheNodeIsCleared) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    Prepare(w, "10");
    w.Create("pods", PodWithPorts("a", "", Port(80)));
    w.Create("pods", PodWithPorts("b", "", Port(81)));
    w.Settle();
    w.Create("pods", PodWithPorts("h", "high", Port(80)));
    w.Settle();
    EXPECT_EQ(Nominated(w, "h"), "n1");
    w.Writes();
    w.Create("pods", PodWithPorts("hh", "higher", Port(81)));
    w.Advance(Milliseconds(20));
    const Strings writes = w.Writes();
    const auto at = [&](const char* write) {
      return std::find(writes.begin(), writes.end(), write) - writes.begin();
    };
    ASSERT_THAT(writes, Contains("patch pods/h/status"));
    ASSERT_THAT(writes, Contains("delete pods/b"));
    EXPECT_EQ(at("patch pods/h/status") < at("delete pods/b"), compat == api::Compat::k1_36);
    w.Settle();
    for (const char* pod : {"a", "b"}) DeleteNow(w, pod);
    w.Advance(Seconds(20));
    EXPECT_EQ(w.NodeOf("h"), "n1");
    EXPECT_EQ(w.NodeOf("hh"), "n1");
  }
}

// SCHED-29: 1.25 and 1.30 clear a nomination in the search that finds no node, and once more.
TEST(SchedulerPreemption, AVoidNominationIsCleared) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    Prepare(w, "1");
    w.Create("pods", PodWithPorts("a", ""));
    w.Settle();
    w.Create("pods", PodWithPorts("h", "high"));
    w.Settle();
    EXPECT_EQ(Nominated(w, "h"), "n1");
    w.Patch("nodes", "n1", R"({"spec":{"unschedulable":true}})");
    w.Settle();
    w.Writes();
    DeleteNow(w, "a");
    w.Advance(Seconds(15));
    EXPECT_EQ(Nominated(w, "h"), "");
    const Strings writes = w.Writes();
    EXPECT_EQ(std::count(writes.begin(), writes.end(), "patch pods/h/status"),
              ByVersion(compat, 2, 2, 1));
  }
}

// SCHED-27, SCHED-25: the condition's message says why preemption evicts nobody; no victim is
// deleted twice.
TEST(SchedulerPreemption, SaysWhyItDoesNotHelp) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    Prepare(w, "1");
    w.Create("pods", PodWithPorts("a", "high"));
    w.Settle();
    w.Create("pods", PodWithPorts("b", "high"));
    w.Advance(Seconds(20));
    EXPECT_THAT(MessageOf(w, "b"),
                HasSubstr("0/1 nodes are available: 1 Too many pods. " +
                          ByVersion<std::string>(compat, "", "", "no new claims to deallocate, ") +
                          "preemption: 0/1 nodes are available: 1 No preemption victims found for "
                          "incoming pod."));
    w.Create("pods", PodWithPorts("hh", "higher"));
    w.Settle();
    w.Writes();
    // The scheduler tries hh again while its victim still exists.
    w.Patch("pods", "hh", R"({"metadata":{"labels":{"changed":"yes"}}})");
    w.Advance(Seconds(15));
    EXPECT_THAT(w.Writes(), Not(Contains("delete pods/a")));
    // 1.36 holds hh back until a pod is deleted.
    const bool tried = compat != api::Compat::k1_36;
    EXPECT_THAT(
        MessageOf(w, "hh"),
        tried
            ? HasSubstr("preemption: not eligible due to a terminating pod on the nominated node.")
            : HasSubstr("0/1 nodes are available: 1 Too many pods."));
    EXPECT_EQ(Nominated(w, "hh"), "n1");
  }
}

// SCHED-29: the preemptor does not wait for ever for a victim whose deletion fails.
TEST(SchedulerPreemption, AVictimThatIsGoneAlreadyIsNoError) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    Prepare(w, "1");
    w.Create("pods", PodWithPorts("a", ""));
    w.Settle();
    w.Freeze("pods");
    DeleteNow(w, "a");
    w.Freeze("pods", false);
    w.Create("pods", PodWithPorts("h", "high"));
    w.Advance(Seconds(30));
    EXPECT_EQ(w.NodeOf("h"), "n1");
  }
}

}  // namespace
}  // namespace ksim
