// docs/requirements/guarantees.md, "What may happen": the tests bring about each legal oddity in a
// run that every oracle watches, and none alarms. tests/whole/churn has rows 1 to 6, which chance
// brings about there, as it does row 11.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ksim/cluster.h"
#include "recorded.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;

const std::string kManager = "kube-controller-manager";
const std::string kHandlers = "kube-controller-manager/replicaset";

// A scenario that creates a ReplicaSet `web` at the start and has these steps and faults.
std::string Web(const std::string& steps, const std::string& faults,
                const std::string& more_spec = "", const std::string& cluster = "nodes: 2") {
  return fmt::format(R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {{name: legal}}
spec:
  cluster: {{{}}}
  steps:
  - {{at: 0s, create: {{documents: all}}}}
{}
  faults: [{}]
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {{name: web, namespace: default}}
spec:
  replicas: 2
  {}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{containers: [{{name: c, image: nginx}}]}}
)",
                     cluster, steps, faults, more_spec);
}

// `process` dies and restarts with another API server, whose watch cache of pods lags since before
// the deletion of a pod and its replacement.
std::string BehindAfterRestart(const std::string& process, const std::string& cluster) {
  return Web(
      "  - {at: 25s, delete: {resource: pods, selector: app=web}}",
      fmt::format(
          "{{at: 20s, freezeCache: {{server: kube-apiserver-1, resource: pods, for: 40s}}}}, "
          "{{at: 20s, connect: {{client: {0}, server: kube-apiserver-0}}}}, "
          "{{at: 40s, crash: {{process: {0}, down: 2s}}}}, "
          "{{at: 40s, connect: {{client: {0}, server: kube-apiserver-1}}}}",
          process),
      "", "nodes: 2, apiServers: 2" + cluster);
}

// --- checks that the legal oddity happened ---

bool HandlerOf(const Record& r, const std::string& resource, const std::string& type) {
  return r.kind == Kind::kHandler && r.Text("listener") == kHandlers &&
         r.Text("resource") == resource && (type.empty() || r.Text("type") == type);
}

std::size_t After(const Trace& t, std::size_t from, const Is& is) {
  while (from < t.events.size() && !is(t.events[from])) ++from;
  return from;
}

// 7
bool ChildBeforeOwner(const Trace& t) {
  const auto started = [](const Record& r) {
    return r.kind == Kind::kActor && r.Text("process") == kManager && r.Text("state") == "start";
  };
  const std::size_t again = After(t, After(t, 0, started) + 1, started);
  const std::size_t child =
      After(t, again, [](const Record& r) { return HandlerOf(r, "pods", "add"); });
  const std::size_t owner =
      After(t, again, [](const Record& r) { return HandlerOf(r, "replicasets", "add"); });
  return child < owner && owner < t.events.size();
}

// 7
bool OwnersDeletionBeforeChild(const Trace& t) {
  const std::size_t deleted =
      After(t, 0, [](const Record& r) { return HandlerOf(r, "replicasets", "delete"); });
  if (deleted == t.events.size()) return false;
  const std::int64_t rv = t.events[deleted].Int("rv");
  return After(t, deleted, [rv](const Record& r) {
           return HandlerOf(r, "pods", "add") && r.Int("rv") < rv;
         }) < t.events.size();
}

// 8
bool KeysReordered(const Trace& t) {
  const Record* last = nullptr;
  for (const Record& r : t.events) {
    if (!HandlerOf(r, "pods", "")) continue;
    if (last != nullptr && last->Text("name") != r.Text("name") && r.Int("rv") < last->Int("rv"))
      return true;
    last = &r;
  }
  return false;
}

bool Answered(const Trace& t, const std::string& actor, const std::string& verb,
              const std::string& reason) {
  std::set<std::int64_t> asked;
  for (const Record& r : t.events) {
    if (r.kind == Kind::kRequest && r.actor == actor && r.Text("verb") == verb)
      asked.insert(r.Int("id"));
    if (r.kind == Kind::kResponse && r.Text("reason") == reason && asked.contains(r.Int("id")))
      return true;
  }
  return false;
}

// 10
bool CacheAheadOfHandler(const Trace& t) {
  std::map<std::string, std::int64_t> taken_in;
  const Is delivered = DeliverTo(kManager, "pods");
  for (const Record& r : t.events) {
    const std::string name(r.Text("name"));
    if (delivered(r)) taken_in[name] = r.Int("rv");
    if (HandlerOf(r, "pods", "") && r.Int("rv") < taken_in[name]) return true;
  }
  return false;
}

// 11
bool FirstListIsOlderThanWhatWasKnown(const Trace& t, const std::string& process) {
  const Is delivered = DeliverTo(process, "pods");
  std::int64_t known = 0;
  bool again = false;
  for (const Record& r : t.events) {
    const bool started = r.kind == Kind::kActor && r.Text("process") == process;
    again = again || (started && r.Text("state") == "start" && known > 0);
    if (delivered(r)) known = std::max(known, r.Int("rv"));
    if (r.kind != Kind::kRelist || r.Text("informer") != process + " pods") continue;
    if (again) return r.Text("reason") == "start" && r.Int("gotRv") < known;
    known = std::max(known, r.Int("gotRv"));
  }
  return false;
}

bool ReconcileBegins(const Record& r) {
  return r.kind == Kind::kReconcile && r.Text("state") == "begin" && r.Text("key") == "default/web";
}

// 12
bool ReconcileOfWhatIsGone(const Trace& t) {
  const std::size_t deleted =
      After(t, 0, [](const Record& r) { return HandlerOf(r, "replicasets", "delete"); });
  return After(t, deleted, ReconcileBegins) < t.events.size();
}

// 13
bool SeveralCallsOneReconcile(const Trace& t) {
  int calls = 0;
  for (const Record& r : t.events) {
    if (HandlerOf(r, "pods", "")) ++calls;
    if (ReconcileBegins(r) && std::exchange(calls, 0) > 1) return true;
  }
  return false;
}

// 13
bool ATimerReconciles(const Trace& t) {
  std::int64_t told = 0;
  for (const Record& r : t.events) {
    if (r.kind == Kind::kHandler && r.Text("listener") == kHandlers) told = r.t;
    if (ReconcileBegins(r) && r.t - told > Seconds(4).ns()) return true;
  }
  return false;
}

// 14
bool ManyRelistAtTimesOfTheirOwn(const Trace& t) {
  std::set<std::int64_t> times;
  std::set<std::string> informers;
  for (const Record& r : t.events) {
    if (r.kind != Kind::kRelist || r.Text("reason") == "start") continue;
    times.insert(r.t);
    informers.emplace(r.Text("informer"));
  }
  return informers.size() >= 4 && times.size() >= 4;
}

// 15
bool AWatchWithoutABookmark(const Trace& t) {
  std::set<std::int64_t> opened, marked;
  for (const Record& r : t.events) {
    const bool deliver = r.kind == Kind::kDeliver && r.Text("server") != "etcd";
    const bool bookmark = r.Text("type") == "BOOKMARK" && !r.Get("initialEnd").AsBool();
    if (deliver) (bookmark ? marked : opened).insert(r.Int("stream"));
    const bool closed = r.kind == Kind::kWatch && r.Text("state") == "close";
    if (closed && opened.contains(r.Int("stream")) && !marked.contains(r.Int("stream")))
      return true;
  }
  return false;
}

// 16
bool TheOldLeaderWritesAfterTheNewOneLeads(const Trace& t) {
  std::string leader;
  std::set<std::string> former;
  for (const Record& r : t.events) {
    if (r.kind == Kind::kActor && r.Text("state") == "lead") {
      if (!leader.empty()) former.insert(leader);
      leader = r.Text("process");
    }
    if (r.kind != Kind::kCommit || r.Text("resource") != "pods") continue;
    for (const std::string& process : former)
      if (process != leader && r.Text("by").starts_with(process + "/")) return true;
  }
  return false;
}

struct LegalRow {
  const char* what;
  std::vector<const char*> compats;
  std::string scenario;
  bool (*shows)(const Trace& trace);
};

const std::vector<const char*> kEach = {"1.25", "1.30", "1.36"};

std::vector<LegalRow> LegalRows() {
  const std::string then_delete = "  - {at: 20s, delete: {resource: replicasets/web}}";
  return {
      {"7: a child is seen before its owner", kEach,
       Web("",
           "{at: 30s, restart: {process: kube-controller-manager, down: 1s}}, "
           "{at: 30s, stallHandler: {actor: kube-controller-manager, resource: replicasets, "
           "for: 6s}}"),
       ChildBeforeOwner},
      {"7: its owner's deletion is seen before a child's creation", kEach,
       Web(then_delete,
           "{at: 0s, holdStream: {client: kube-controller-manager, resource: pods, for: 40s}}"),
       OwnersDeletionBeforeChild},
      {"8: two keys come in another order than they were written",
       {"1.25", "1.30"},
       Web("",
           "{at: 0s, stallHandler: {actor: kube-controller-manager, resource: pods, for: 20s}}"),
       KeysReordered},
      {"9: a conflict, for a cache behind its own write or somebody else's", kEach,
       Web("  - {at: 25s, annotate: {resource: replicasets/web, set: {note: x}}}\n"
           "  - {at: 26s, delete: {resource: pods, selector: app=web, limit: 1}}",
           "{at: 20s, holdStream: {client: kube-controller-manager, resource: replicasets, "
           "for: 60s}}"),
       [](const Trace& t) { return Answered(t, kHandlers, "update", "Conflict"); }},
      {"9: what is created exists already", kEach,
       Web("", "{at: 20s, restart: {process: kubelet/node-1, down: 1s}}"),
       [](const Trace& t) { return Answered(t, "kubelet/node-1", "create", "AlreadyExists"); }},
      {"10: the cache is ahead of the call being handled", kEach,
       Web("",
           "{at: 0s, stallHandler: {actor: kube-controller-manager/replicaset, resource: pods, "
           "for: 20s}}"),
       CacheAheadOfHandler},
      // The first watch-list of 1.36 is consistent: it waits until the server has caught up.
      {"11: a controller's first list after a restart is older than what was known",
       {"1.25", "1.30"},
       BehindAfterRestart(kManager, ""),
       [](const Trace& t) { return FirstListIsOlderThanWhatWasKnown(t, kManager); }},
      {"11: a kubelet's, which takes any cache for its first list", kEach,
       BehindAfterRestart("kubelet/node-1", ", variants: {kubelet.initialList: cache0}"),
       [](const Trace& t) { return FirstListIsOlderThanWhatWasKnown(t, "kubelet/node-1"); }},
      {"12: a reconcile for a key that is gone", kEach, Web(then_delete, ""),
       ReconcileOfWhatIsGone},
      {"13: several calls lead to one reconcile", kEach, Web("", ""), SeveralCallsOneReconcile},
      {"13: a timer leads to one more", kEach, Web("", "", "minReadySeconds: 7"), ATimerReconciles},
      {"14: everybody lists anew after one API server's restart", kEach,
       Web("", "{at: 20s, restart: {process: kube-apiserver-0, down: 2s}}"),
       ManyRelistAtTimesOfTheirOwn},
      {"15: a watch that never sees a bookmark", kEach,
       Web("", "{at: 20s, dropWatch: {client: kube-controller-manager, resource: pods}}"),
       AWatchWithoutABookmark},
      {"16: a write of a leader that was cut off arrives in the time of the next", kEach,
       Web("",
           "{when: {event: reconcile, actor: kube-controller-manager-0/replicaset, state: begin, "
           "count: 1}, partition: {between: [kube-controller-manager-0, kube-apiserver-0], "
           "for: 40s}}",
           "", "nodes: 2, controllers: [{name: \"*\", replicas: 2}]"),
       TheOldLeaderWritesAfterTheNewOneLeads},
  };
}

// 19
bool ABindingIsWrittenAfterItWasGivenUp(const Trace& t) {
  std::set<std::int64_t> bindings, given_up;
  for (const Record& r : t.events) {
    if (r.kind == Kind::kRequest && r.Text("subresource") == "binding")
      bindings.insert(r.Int("id"));
    if (r.kind == Kind::kResponse && r.Get("lost").AsBool() && bindings.contains(r.Int("id")))
      given_up.insert(r.Int("id"));
    if (r.kind == Kind::kCommit && given_up.contains(r.Int("request"))) return true;
  }
  return false;
}

TEST(LegalRows, ABindingThatWasGivenUpIsWritten) {
  for (const char* compat : kEach) {
    const Trace trace = Recorded("../tests/regress/binding-given-up-comes-late", compat);
    EXPECT_TRUE(ABindingIsWrittenAfterItWasGivenUp(trace)) << compat;
    EXPECT_EQ(Messages(trace), "") << compat;
  }
}

// Row 11 does not occur with informers of 1.36.
TEST(LegalRows, AConsistentFirstListIsNeverOlder) {
  const Trace trace = RunOf(BehindAfterRestart(kManager, ""), "1.36");
  EXPECT_FALSE(FirstListIsOlderThanWhatWasKnown(trace, kManager));
  EXPECT_EQ(Messages(trace), "");
}

TEST(LegalRows, LegalOdditiesHappenAndNoOracleAlarms) {
  for (const LegalRow& row : LegalRows()) {
    for (const char* compat : row.compats) {
      const Trace trace = RunOf(row.scenario, compat);
      EXPECT_TRUE(row.shows(trace)) << row.what << ", " << compat << ": it did not happen";
      EXPECT_EQ(Messages(trace), "") << row.what << ", " << compat;
      ASSERT_TRUE(trace.end.has_value());
      EXPECT_EQ(trace.end->violations.size(), 0u) << row.what << ", " << compat;
    }
  }
}

// --- rows that need a client of their own ---

// A client that watches pods and sets up its informer as the test says.
class Watcher : public controllers::Controller {
 public:
  Watcher(controllers::ControllerContext context, int refusals, Duration late)
      : context_(std::move(context)), refusals_(refusals), late_(late) {}
  void Start() override {
    client::SharedInformer& pods = context_.informers.For(context_.Resource("", "pods"));
    if (refusals_ > 0) pods.SetTransform([this](const api::Object& o, bool) { return Refuse(o); });
    if (late_ > Duration()) {
      context_.process.Spawn(AddLate(&pods), context_.name);
    } else {
      pods.AddHandler(context_.actor(), &handler_);
    }
  }

 private:
  absl::StatusOr<api::Object> Refuse(const api::Object& o) {
    if (o.name() == "odd" && refusals_-- > 0) return absl::InvalidArgumentError("not yet");
    return o;
  }
  sim::Task<void> AddLate(client::SharedInformer* pods) {
    co_await context_.process.simulation().Sleep(late_, sim::TimerKind::kPeriodic, "late");
    pods->AddHandler(context_.actor(), &handler_);
  }
  controllers::ControllerContext context_;
  int refusals_;
  Duration late_;
  client::HandlerFuncs handler_;
};

std::string UnscheduledPod(const std::string& name) {
  return "{apiVersion: v1, kind: Pod, metadata: {name: " + name +
         "}, spec: {schedulerName: nobody, containers: [{name: c, image: nginx}]}}";
}

ClusterOptions OptionsOf(const char* compat) {
  ClusterOptions options;
  options.compat = *api::ParseCompat(compat);
  return options;
}

// 17: a transform refused the pod's creation and its deletion mark; only the handlers of 1.36 get
// the deletion itself.
TEST(LegalRows, ADeletionOfAKeyNeverToldOf) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    Cluster cluster(OptionsOf(compat));
    cluster.AddController("watcher", [](controllers::ControllerContext context) {
      return std::make_unique<Watcher>(std::move(context), 2, Duration());
    });
    cluster.RunFor(Seconds(5));
    ASSERT_TRUE(cluster.Create(UnscheduledPod("odd")).ok());
    ASSERT_TRUE(cluster.Run().ok());
    cluster.Delete("pods", "odd");
    ASSERT_TRUE(cluster.Run().ok());
    const Trace trace = cluster.MakeTrace();
    std::vector<std::string> told;
    for (const Record& r : trace.events)
      if (r.kind == Kind::kHandler && r.Text("listener") == "watcher/watcher")
        told.emplace_back(r.Text("type"));
    const bool head = std::string_view(compat) == "1.36";
    EXPECT_EQ(told, head ? std::vector<std::string>{"delete"} : std::vector<std::string>());
    EXPECT_EQ(Messages(trace), "") << compat;
  }
}

// 18
TEST(LegalRows, ALateHandlerIsToldInitialAddsOutOfRevisionOrder) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    Cluster cluster(OptionsOf(compat));
    cluster.AddController("watcher", [](controllers::ControllerContext context) {
      return std::make_unique<Watcher>(std::move(context), 0, Seconds(20));
    });
    for (const char* name : {"b", "a"}) ASSERT_TRUE(cluster.Create(UnscheduledPod(name)).ok());
    cluster.RunFor(Seconds(30));
    ASSERT_TRUE(cluster.Run().ok());
    const Trace trace = cluster.MakeTrace();
    std::vector<std::int64_t> revisions;
    for (const Record& r : trace.events)
      if (r.kind == Kind::kHandler && r.Text("listener") == "watcher/watcher")
        revisions.push_back(r.Int("rv"));
    ASSERT_EQ(revisions.size(), 2u);
    EXPECT_GT(revisions[0], revisions[1]) << compat;
    EXPECT_EQ(Messages(trace), "") << compat;
  }
}

}  // namespace
}  // namespace ksim::check
