// Each oracle about informers, handlers, the store and the actors catches the histories that break
// its guarantee. The base is a real run; each row breaks one thing.
#include <gtest/gtest.h>

#include "ksim/cluster.h"
#include "recorded.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;

struct StateRow {
  const char* what;
  std::function<void(Trace*)> change;
  const char* caught;
};

Is WithField(Kind kind, std::string field, std::string text) {
  return [=](const Record& r) { return r.kind == kind && r.Text(field) == text; };
}

Record* At(Trace* t, const Is& is, std::size_t n = 0) {
  const std::size_t i = Find(*t, is, n);
  EXPECT_LT(i, t->events.size());
  return &t->events[std::min(i, t->events.size() - 1)];
}

void Erase(Trace* t, const Is& is, std::size_t n = 0) {
  const std::size_t i = Find(*t, is, n);
  ASSERT_LT(i, t->events.size());
  t->events.erase(t->events.begin() + static_cast<std::ptrdiff_t>(i));
}

// A pod's creation without a change of its leaf `path`; null if it has none.
void SetLeaf(Record* commit, std::string_view path, const Value& v) {
  std::vector<Value> leaves;
  for (const Value& leaf : commit->Get("changed").items())
    leaves.push_back(leaf.Get("path").AsString() == path ? leaf.Set("new", v) : leaf);
  SetField(commit, "changed", Value::Array(std::move(leaves)));
}

// The same with one more leaf.
void AddLeaf(Record* commit, std::string_view path, const Value& v) {
  SetField(commit, "changed",
           commit->Get("changed").Append(value::Obj({{"path", Value::Of(path)}, {"new", v}})));
}

// The commit without its change of the status.
void LeaveStatus(Record* commit) {
  std::vector<Value> leaves;
  for (const Value& leaf : commit->Get("changed").items())
    if (!leaf.Get("path").AsString().starts_with("status")) leaves.push_back(leaf);
  SetField(commit, "changed", Value::Array(std::move(leaves)));
}

std::vector<StateRow> StateRows() {
  const std::string pods = "kube-controller-manager pods";
  const Is pod_created = [](const Record& r) {
    return r.kind == Kind::kCommit && r.Text("op") == "create" && r.Text("resource") == "pods";
  };
  const Is bound = [](const Record& r) {
    return r.kind == Kind::kCommit && r.Text("op") == "update" && r.Text("resource") == "pods" &&
           r.Text("by") == "kube-scheduler";
  };
  const Is by_kubelet = [](const Record& r) {
    return r.kind == Kind::kCommit && r.Text("op") == "update" && r.Text("resource") == "pods" &&
           r.Text("by").starts_with("kubelet/");
  };
  const Is counted = [](const Record& r) {
    return r.kind == Kind::kCommit && r.Text("op") == "update" &&
           r.Text("resource") == "replicasets";
  };
  return {
      {"a list misses an item",
       [=](Trace* t) {
         Record* r =
             Last(t, [](const Record& x) { return x.kind == Kind::kRelist && x.Int("items") > 0; });
         SetField(r, "items", Value::Of(r->Int("items") - 1));
       },
       "list.snapshot"},
      {"a list has an item that is not as it was",
       [=](Trace* t) {
         SetField(
             Last(t, [](const Record& x) { return x.kind == Kind::kRelist && x.Int("items") > 0; }),
             "itemsHash", Value::Of("0123456789abcdef"));
       },
       "list.snapshot"},
      // G-OR7
      {"a list goes back in time (67998)",
       [=](Trace* t) {
         Record again = *At(t, WithField(Kind::kRelist, "informer", pods));
         t->events.push_back(again);
       },
       "view.monotone"},
      // G-CC2
      {"a cache has what the store has not (115658)",
       [=](Trace* t) {
         Record* r = Last(t, WithField(Kind::kCache, "informer", pods));
         SetField(r, "items", Value::Of(r->Int("items") + 1));
         SetField(r, "itemsHash", Value::Of("0123456789abcdef"));
       },
       "informer.converges"},
      {"a cache stays behind (91073)",
       [=](Trace* t) {
         const Record* first = At(t, WithField(Kind::kRelist, "informer", pods));
         const std::int64_t rv = first->Int("gotRv");
         SetField(Last(t, WithField(Kind::kCache, "informer", pods)), "rv", Value::Of(rv));
       },
       "informer.converges"},
      // G-NL1
      {"a handler is not told of a creation", [=](Trace* t) { Erase(t, Handler(pods, "add")); },
       "handlers.fold"},
      // G-OR2
      {"a handler is told of a creation twice",
       [=](Trace* t) {
         const Record copy = *At(t, Handler(pods, "add"));
         const std::size_t i = Find(*t, Handler(pods, "update"));
         t->events.insert(t->events.begin() + static_cast<std::ptrdiff_t>(i), copy);
       },
       "handlers.fold"},
      {"a handler is not told of a deletion", [=](Trace* t) { Erase(t, Handler(pods, "delete")); },
       "handlers.fold"},
      {"an update is lost before a handler",
       [=](Trace* t) { Erase(t, Handler(pods, "update"), 1); }, "handlers.fold"},
      // G-OR1
      {"a handler is told an older version",
       [=](Trace* t) {
         Record* r = At(t, Handler(pods, "update"), 2);
         SetField(r, "rv", Value::Of(std::int64_t{1}));
       },
       "view.monotone"},
      {"a write is answered with a revision it did not make",
       [=](Trace* t) {
         const Record* commit = At(t, pod_created);
         const std::int64_t id = commit->Int("request");
         Record* r =
             At(t, [&](const Record& x) { return x.kind == Kind::kResponse && x.Int("id") == id; });
         SetField(r, "rv", Value::Of(r->Int("rv") - 1));
       },
       "store.linearizable"},
      {"a commit follows a version that was not the newest",
       [=](Trace* t) {
         Record* r = At(t, bound);
         SetField(r, "prevRv", Value::Of(r->Int("prevRv") - 1));
       },
       "store.linearizable"},
      {"a write is answered, and nothing was committed",
       [=](Trace* t) {
         Record* r = At(t, pod_created);
         SetField(r, "request", Value::Of(std::int64_t{987654}));
       },
       "store.linearizable"},
      {"more pods than asked for (129795)",
       [=](Trace* t) {
         // The ReplicaSet asked for one pod all along.
         Record* rs = At(t, [](const Record& x) {
           return x.kind == Kind::kCommit && x.Text("resource") == "replicasets" &&
                  x.Text("op") == "create";
         });
         SetLeaf(rs, "spec.replicas", Value::Of(1));
       },
       "noOvershoot"},
      // G-LT1
      {"a pod is missing in the end (67662)",
       [=](Trace* t) {
         Record* rs = At(t, [](const Record& x) {
           return x.kind == Kind::kCommit && x.Text("resource") == "replicasets" &&
                  x.Text("op") == "create";
         });
         SetLeaf(rs, "spec.replicas", Value::Of(7));
       },
       "esr"},
      {"there are too many pods in the end",
       [=](Trace* t) {
         Record* rs = At(t, [](const Record& x) {
           return x.kind == Kind::kCommit && x.Text("resource") == "replicasets" &&
                  x.Text("op") == "create";
         });
         SetLeaf(rs, "spec.replicas", Value::Of(1));
       },
       "esr"},
      {"a bind to a node that never was (56261)",
       [=](Trace* t) { SetLeaf(At(t, bound), "spec.nodeName", Value::Of("ghost")); }, "sched.real"},
      {"a pod that is larger than its node",
       [=](Trace* t) {
         for (Record& r : t->events)
           if (pod_created(r))
             AddLeaf(&r, "spec.containers[0].resources.requests.cpu", Value::Of("999"));
       },
       "sched.fits"},
      {"a pod that asks for what no node has",
       [=](Trace* t) {
         for (Record& r : t->events)
           if (pod_created(r))
             AddLeaf(&r, "spec.containers[0].resources.requests['nvidia.com/gpu']", Value::Of("1"));
       },
       "sched.fits"},
      {"a pod that asks for more disk than its node has",
       [=](Trace* t) {
         for (Record& r : t->events)
           if (pod_created(r))
             AddLeaf(&r, "spec.containers[0].resources.requests.ephemeral-storage",
                     Value::Of("900Ti"));
       },
       "sched.fits"},
      {"a ReplicaSet says that fewer pods are ready",
       [=](Trace* t) { SetLeaf(Last(t, counted), "status.readyReplicas", Value::Of(1)); }, "esr"},
      {"a ReplicaSet says that more pods are available",
       [=](Trace* t) { SetLeaf(Last(t, counted), "status.availableReplicas", Value::Of(3)); },
       "esr"},
      {"a ReplicaSet says that fewer pods have its labels",
       [=](Trace* t) { AddLeaf(Last(t, counted), "status.fullyLabeledReplicas", Value::Of(1)); },
       "esr"},
      {"a ReplicaSet says that it was seen as it was before",
       [=](Trace* t) { AddLeaf(Last(t, counted), "status.observedGeneration", Value::Of(0)); },
       "esr"},
      {"a kubelet never takes up a pod",
       [=](Trace* t) {
         for (Record& r : t->events)
           if (by_kubelet(r)) LeaveStatus(&r);
       },
       "esr"},
      // CTRL-F-03
      {"a pod gets a second controller",
       [=](Trace* t) {
         AddLeaf(At(t, pod_created), "metadata.ownerReferences[1].controller", Value::Of(true));
       },
       "pod.oneController"},
      {"a pod changes its node",
       [=](Trace* t) { AddLeaf(At(t, by_kubelet), "spec.nodeName", Value::Of("elsewhere")); },
       "pod.stays"},
      {"a pod leaves its node",
       [=](Trace* t) { AddLeaf(At(t, by_kubelet), "spec.nodeName", Value::Of("")); }, "pod.stays"},
      {"a pod that had ended runs",
       [=](Trace* t) { AddLeaf(At(t, bound), "status.phase", Value::Of("Failed")); }, "pod.ended"},
      {"a status is put to another incarnation",
       [=](Trace* t) {
         SetField(At(t,
                     [](const Record& x) {
                       return x.kind == Kind::kRequest && x.Text("subresource") == "status" &&
                              x.Text("verb") == "update";
                     }),
                  "uid", Value::Of("another"));
       },
       "status.uid"},
      {"a kubelet tells one pod of another's container",
       [=](Trace* t) {
         SetField(At(t, WithField(Kind::kRuntime, "action", "create")), "uid",
                  Value::Of("another"));
       },
       "status.uid"},
  };
}

// CLIENT-42 CLIENT-47
TEST(StateMutants, EachIsCaught) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    for (const StateRow& row : StateRows()) {
      Trace mutant = Recorded("delete-pod", compat);
      row.change(&mutant);
      EXPECT_EQ(Violated(mutant).count(row.caught), 1u)
          << compat << ": " << row.what << ": " << row.caught << " is silent\n"
          << Messages(mutant);
    }
  }
}

// --- view.monotone and tombstones ---

// The last deletion of a pod in the controller's handler, with the object's first version.
Record* OlderDeletion(Trace* t) {
  const std::string pods = "kube-controller-manager pods";
  Record* deleted = Last(t, Handler(pods, "delete"));
  const std::string name(deleted->Text("name"));
  const Record* added =
      At(t, [&](const Record& r) { return Handler(pods, "add")(r) && r.Text("name") == name; });
  EXPECT_LT(added->Int("rv"), deleted->Int("rv"));
  SetField(deleted, "rv", added->Get("rv"));
  return deleted;
}

// A deletion from the watch has the newest state. A tombstone has the known state, which may be
// older than the handler's: the DeltaFIFO of 1.25 takes it from the cache while newer deltas wait.
TEST(StateMutants, ADeletionWithAnOlderObjectIsCaughtUnlessItIsATombstone) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    Trace seen = Recorded("delete-pod", compat);
    SetField(OlderDeletion(&seen), "tombstone", Value::Of(false));
    EXPECT_EQ(Violated(seen), std::set<std::string>{"view.monotone"}) << Messages(seen);
    Trace unseen = Recorded("delete-pod", compat);
    SetField(OlderDeletion(&unseen), "tombstone", Value::Of(true));
    EXPECT_EQ(Messages(unseen), "") << compat;
  }
}

// --- noOvershoot ---

// A controller learns of a pod between two tries of one creation. It decided before the first try;
// had it decided after it, it would have created one pod too many.
TEST(StateMutants, ACreationDecidedOnWhenThePodsWereKnownIsCaught) {
  for (const char* compat : {"1.25", "1.30"}) {
    Trace trace = Recorded("../tests/regress/told-while-it-creates", compat);
    EXPECT_EQ(Messages(trace), "") << compat;
    Record* second = Last(&trace, [](const Record& r) {
      return r.kind == Kind::kRequest && r.actor == "kube-controller-manager/replicaset" &&
             r.Text("verb") == "create" && r.Text("resource") == "pods";
    });
    const Record* told = At(&trace, Handler("kube-controller-manager pods", "add"));
    ASSERT_LT(told->seq, second->seq);
    second->cause = second->seq - 1;
    EXPECT_EQ(Violated(trace), std::set<std::string>{"noOvershoot"}) << compat << Messages(trace);
  }
}

// --- atMostOne ---

// Makes a StatefulSet the owner of all pods.
void OfStatefulSet(Trace* t) {
  for (Record& r : t->events) {
    const bool created = r.kind == Kind::kCommit && r.Text("op") == "create";
    if (created && r.Text("resource") == "pods")
      SetLeaf(&r, "metadata.ownerReferences[0].kind", Value::Of("StatefulSet"));
  }
}

Is Runtime(std::string action, std::string uid = "") {
  return [=](const Record& r) {
    return r.kind == Kind::kRuntime && r.Text("action") == action && !r.Text("container").empty() &&
           (uid.empty() || r.Text("uid") == uid);
  };
}

void InsertAfter(Trace* t, std::size_t i, const Record& r) {
  t->events.insert(t->events.begin() + static_cast<std::ptrdiff_t>(i + 1), r);
}

TEST(StateMutants, AStatefulSetsPodThatRunsOnTwoNodesIsCaught) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    Trace mutant = Recorded("replicaset", compat);
    OfStatefulSet(&mutant);
    EXPECT_EQ(Messages(mutant).find("atMostOne"), std::string::npos) << "on one node it may run";
    const std::size_t i = Find(mutant, Runtime("start"));
    ASSERT_LT(i, mutant.events.size());
    Record again = mutant.events[i];
    SetField(&again, "node", Value::Of("another"));
    InsertAfter(&mutant, i, again);
    EXPECT_EQ(Violated(mutant).count("atMostOne"), 1u) << compat << "\n" << Messages(mutant);
    Trace others = Recorded("replicaset", compat);  // not a StatefulSet's
    InsertAfter(&others, i, again);
    EXPECT_EQ(Violated(others).count("atMostOne"), 0u) << compat;
  }
}

// A pod is removed while its containers run, and a pod of the same name starts elsewhere: a kubelet
// must not remove it so; a user who deletes it by force accepts that.
TEST(StateMutants, OnlyAPodRemovedByForceMayRunOn) {
  for (const char* by : {"kubelet/node-1", "kubectl"}) {
    Trace mutant = Recorded("delete-pod", "1.30");
    OfStatefulSet(&mutant);
    const std::size_t gone = Find(mutant, [](const Record& r) {
      return r.kind == Kind::kCommit && r.Text("resource") == "pods" && r.Text("op") == "delete";
    });
    ASSERT_LT(gone, mutant.events.size());
    SetField(&mutant.events[gone], "by", Value::Of(by));
    const std::string uid(mutant.events[gone].Text("uid"));
    const std::size_t started = Find(mutant, Runtime("start", uid));
    ASSERT_LT(started, gone);
    Record again = mutant.events[started];
    SetField(&again, "node", Value::Of("another"));
    SetField(&again, "uid", Value::Of("another"));
    InsertAfter(&mutant, gone, again);
    std::erase_if(mutant.events, [&](const Record& r) {
      return Runtime("kill", uid)(r) || Runtime("exit", uid)(r);
    });
    const bool forced = std::string_view(by) == "kubectl";
    EXPECT_EQ(Violated(mutant).count("atMostOne"), forced ? 0u : 1u) << by << Messages(mutant);
  }
}

// --- noLeak ---

// Nobody deletes the pods of a deleted ReplicaSet; only the mutants' traces have a collector.
TEST(StateMutants, PodsLeftBehindByADeletedOwnerAreCaught) {
  ClusterOptions options;
  options.spec.controllers = {"replicaset"};
  Cluster cluster(options);
  ASSERT_TRUE(cluster
                  .Create(R"({apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web}, spec: {
      replicas: 1, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}},
      spec: {containers: [{name: c, image: nginx}]}}}})")
                  .ok());
  ASSERT_TRUE(cluster.Run().ok());
  const auto with_collector = [](Trace t) {
    Record* r = Last(&t, WithField(Kind::kReconcile, "state", "begin"));
    r->actor = "kube-controller-manager/garbagecollector";
    return t;
  };
  EXPECT_EQ(Messages(with_collector(cluster.MakeTrace())), "") << "its owner lives";
  cluster.Delete("replicasets", "web");
  ASSERT_TRUE(cluster.Run().ok());
  EXPECT_EQ(cluster.List("pods").size(), 1u);
  EXPECT_EQ(Messages(cluster.MakeTrace()), "") << "nobody is there to collect";
  EXPECT_EQ(Violated(with_collector(cluster.MakeTrace())), std::set<std::string>{"noLeak"});
}

// --- quiet ---

// Writes a label every ten seconds, `times` times.
class Restless : public controllers::Controller {
 public:
  Restless(controllers::ControllerContext context, int times)
      : context_(std::move(context)),
        times_(times),
        client_(context_.connection, context_.actor(), client::ClientOptions()) {}
  void Start() override { context_.process.Spawn(Run(), context_.name); }

 private:
  sim::Task<void> Run() {
    const api::ResourceInfo* pods = context_.Resource("", "pods");
    for (int i = 0; i < times_; ++i) {
      co_await context_.process.simulation().Sleep(Seconds(10), sim::TimerKind::kWork, "restless");
      const Value labels = value::Obj({{"n", Value::Of(std::to_string(i))}});
      const Value patch = value::Obj({{"metadata", value::Obj({{"labels", labels}})}});
      const client::PatchOptions merge(api::PatchType::kMerge);
      co_await client_.Patch(pods, "default", "p", patch, merge);
    }
  }
  controllers::ControllerContext context_;
  int times_;
  client::Client client_;
};

// G-LT5
TEST(StateMutants, WritingThatDoesNotStopIsCaught) {
  struct Case {
    const char* what;
    int times;
    bool limit, caught;
  };
  const Case cases[] = {
      {"the limit passes, and it still writes", 10000, true, true},
      {"it stops before the limit passes", 60, true, false},
      {"the run was cut at a time of the user's choice", 10000, false, false},
  };
  for (const Case& c : cases) {
    Cluster cluster;
    cluster.AddController("restless", [&c](controllers::ControllerContext context) {
      return std::make_unique<Restless>(std::move(context), c.times);
    });
    ASSERT_TRUE(cluster
                    .Create("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: "
                            "[{name: c, image: nginx}]}}")
                    .ok());
    cluster.RunFor(Minutes(25));
    Trace trace = cluster.MakeTrace();
    trace::Violation limit;
    limit.oracle = "limit";
    if (c.limit) trace.end->violations.push_back(limit);
    EXPECT_EQ(Violated(trace).count("quiet"), c.caught ? 1u : 0u) << c.what << Messages(trace);
  }
}

// A deletion hits another pod than the one that its sender meant: the sender acted on the first, or
// named its uid as precondition, or both.
TEST(StateMutants, ADeletionMeantForAnotherIncarnationIsCaught) {
  struct Case {
    bool acted_on, demanded;
  };
  for (const Case& c : {Case{true, false}, Case{false, true}, Case{true, true}}) {
    Trace mutant = Recorded("delete-pod", "1.30");
    Record* request = At(&mutant, [](const Record& r) {
      return r.kind == Kind::kRequest && r.Text("verb") == "delete" && !r.Text("uid").empty();
    });
    if (c.acted_on) SetField(request, "uid", Value::Of("another"));
    if (c.demanded) SetField(request, "preconditions", value::Obj({{"uid", Value::Of("another")}}));
    EXPECT_EQ(Violated(mutant), std::set<std::string>{"delete.uid"})
        << c.acted_on << c.demanded << Messages(mutant);
  }
}

// CTRL-F-03: the oracle does not judge a user's writes, and a further owner is no second
// controller.
TEST(StateMutants, AUserMayWriteAStatusAndOwnersThatControlNothingAreMany) {
  Trace mutant = Recorded("delete-pod", "1.30");
  Record* bound = At(&mutant, [](const Record& r) {
    return r.kind == Kind::kCommit && r.Text("by") == "kube-scheduler";
  });
  const std::string pod(bound->Text("name"));
  AddLeaf(bound, "status.phase", Value::Of("Failed"));
  AddLeaf(bound, "metadata.ownerReferences[1].kind", Value::Of("Website"));
  for (Record& r : mutant.events)
    if (r.kind == Kind::kCommit && r.Text("name") == pod && r.Text("by").starts_with("kubelet/"))
      SetField(&r, "by", Value::Of("kubectl"));
  const std::set<std::string> violated = Violated(mutant);
  EXPECT_EQ(violated.count("pod.ended"), 0u) << Messages(mutant);
  EXPECT_EQ(violated.count("pod.oneController"), 0u) << Messages(mutant);
}

}  // namespace
}  // namespace ksim::check
