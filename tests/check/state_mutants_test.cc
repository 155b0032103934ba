// Each guarantee about informers, handlers, the store and the actors catches the histories that
// break it. The base is a real run; one row breaks one thing.
#include <gtest/gtest.h>

#include "recorded.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;

struct Row {
  const char* what;
  std::function<void(Trace*)> change;
  const char* caught;
};

Is Handler(std::string informer, std::string type) {
  return [=](const Record& r) {
    return r.kind == Kind::kHandler && r.Text("informer") == informer && r.Text("type") == type;
  };
}

Is Of(Kind kind, std::string field, std::string text) {
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

// The last record that is so.
Record* Last(Trace* t, const Is& is) {
  for (std::size_t i = t->events.size(); i-- > 0;)
    if (is(t->events[i])) return &t->events[i];
  ADD_FAILURE() << "no such record";
  return &t->events.back();
}

// A pod's creation with its leaf `path` as it is; null if it has none.
void SetLeaf(Record* commit, std::string_view path, const Value& v) {
  std::vector<Value> leaves;
  for (const Value& leaf : commit->Get("changed").items())
    leaves.push_back(leaf.Get("path").AsString() == path ? leaf.Set("new", v) : leaf);
  SetField(commit, "changed", Value::Array(std::move(leaves)));
}

std::vector<Row> Rows() {
  const std::string pods = "kube-controller-manager pods";
  const Is pod_created = [](const Record& r) {
    return r.kind == Kind::kCommit && r.Text("op") == "create" && r.Text("resource") == "pods";
  };
  const Is bound = [](const Record& r) {
    return r.kind == Kind::kCommit && r.Text("op") == "update" && r.Text("resource") == "pods" &&
           r.Text("by") == "kube-scheduler";
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
      {"a list goes back in time (67998)",
       [=](Trace* t) {
         Record again = *At(t, Of(Kind::kRelist, "informer", pods));
         t->events.push_back(again);
       },
       "view.monotone"},
      {"a cache has what the store has not (115658)",
       [=](Trace* t) {
         Record* r = Last(t, Of(Kind::kCache, "informer", pods));
         SetField(r, "items", Value::Of(r->Int("items") + 1));
         SetField(r, "itemsHash", Value::Of("0123456789abcdef"));
       },
       "informer.converges"},
      {"a cache stays behind (91073)",
       [=](Trace* t) {
         const Record* first = At(t, Of(Kind::kRelist, "informer", pods));
         const std::int64_t rv = first->Int("gotRv");
         SetField(Last(t, Of(Kind::kCache, "informer", pods)), "rv", Value::Of(rv));
       },
       "informer.converges"},
      {"a handler is not told of a creation", [=](Trace* t) { Erase(t, Handler(pods, "add")); },
       "handlers.fold"},
      {"a handler is told of a creation twice",
       [=](Trace* t) {
         const Record copy = *At(t, Handler(pods, "add"));
         const std::size_t i = Find(*t, Handler(pods, "update"));
         t->events.insert(t->events.begin() + static_cast<std::ptrdiff_t>(i), copy);
       },
       "handlers.fold"},
      {"a handler is not told of a deletion (55)",
       [=](Trace* t) { Erase(t, Handler(pods, "delete")); }, "handlers.fold"},
      {"an update is lost before a handler",
       [=](Trace* t) { Erase(t, Handler(pods, "update"), 1); }, "handlers.fold"},
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
         // The ReplicaSet asked for one all along.
         Record* rs = At(t, [](const Record& x) {
           return x.kind == Kind::kCommit && x.Text("resource") == "replicasets" &&
                  x.Text("op") == "create";
         });
         SetLeaf(rs, "spec.replicas", Value::Of(1));
       },
       "noOvershoot"},
      {"a pod is missing in the end (67662)",
       [=](Trace* t) {
         Record* rs = At(t, [](const Record& x) {
           return x.kind == Kind::kCommit && x.Text("resource") == "replicasets" &&
                  x.Text("op") == "create";
         });
         SetLeaf(rs, "spec.replicas", Value::Of(7));
       },
       "esr"},
      {"a bind to a node that never was (56261)",
       [=](Trace* t) { SetLeaf(At(t, bound), "spec.nodeName", Value::Of("ghost")); }, "sched.real"},
      {"a pod that is larger than its node",
       [=](Trace* t) {
         for (Record& r : t->events)
           if (pod_created(r))
             SetField(&r, "changed",
                      r.Get("changed").Append(value::Obj(
                          {{"path", Value::Of("spec.containers[0].resources.requests.cpu")},
                           {"new", Value::Of("999")}})));
       },
       "sched.fits"},
  };
}

// CLIENT-42 CLIENT-47
TEST(StateMutants, EachIsCaught) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    for (const Row& row : Rows()) {
      Trace mutant = Recorded("delete-pod", compat);
      row.change(&mutant);
      EXPECT_EQ(Violated(mutant).count(row.caught), 1u)
          << compat << ": " << row.what << ": " << row.caught << " is silent\n"
          << Messages(mutant);
    }
  }
}

// A deletion that was meant for one pod and hit another.
TEST(StateMutants, ADeletionMeantForAnotherIncarnationIsCaught) {
  Trace mutant = Recorded("delete-pod", "1.30");
  Record* request = At(&mutant, [](const Record& r) {
    return r.kind == Kind::kRequest && r.Text("verb") == "delete" && !r.Text("uid").empty();
  });
  SetField(request, "uid", Value::Of("another"));
  EXPECT_EQ(Violated(mutant), std::set<std::string>{"delete.uid"}) << Messages(mutant);
}

}  // namespace
}  // namespace ksim::check
