// store.linearizable catches answers that do not agree with the commits of their requests. The base
// is a real run; each row changes one answer or its request.
#include <gtest/gtest.h>

#include "recorded.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;

Is Asks(std::string verb, std::string resource, std::string subresource = "",
        std::string actor = "") {
  return [=](const Record& r) {
    return r.kind == Kind::kRequest && r.Text("verb") == verb && r.Text("resource") == resource &&
           r.Text("subresource") == subresource && r.actor.starts_with(actor);
  };
}

Is AnswerTo(std::int64_t id) {
  return [=](const Record& r) { return r.kind == Kind::kResponse && r.Int("id") == id; };
}

// The last 2xx answer to such a request.
Record* AnswerTo(Trace* t, const Is& asks) {
  for (std::size_t i = t->events.size(); i-- > 0;) {
    if (!asks(t->events[i])) continue;
    const std::size_t at = Find(*t, AnswerTo(t->events[i].Int("id")));
    if (at == t->events.size() || t->events[at].Int("code") >= 300) continue;
    return &t->events[at];
  }
  ADD_FAILURE() << "no such answer";
  return &t->events.back();
}

Record* RequestOf(Trace* t, const Record& answer) {
  return &t->events[Find(*t, [&](const Record& r) {
    return r.kind == Kind::kRequest && r.Int("id") == answer.Int("id");
  })];
}

void Refuse(Record* answer, int code, std::string_view reason) {
  SetField(answer, "code", Value::Of(code));
  SetField(answer, "reason", Value::Of(reason));
  SetField(answer, "rv", Value::Of(0));
}

void Add(Record* r, std::string_view field, std::int64_t n) {
  SetField(r, field, Value::Of(r->Int(field) + n));
}

// Removes the link from a request to its commits.
void OfNobody(Trace* t, const Record& answer) {
  for (Record& r : t->events)
    if (r.kind == Kind::kCommit && r.Int("request") == answer.Int("id"))
      SetField(&r, "request", Value::Of(0));
}

struct AnswerRow {
  const char* what;
  std::function<void(Trace*)> change;
};

std::vector<AnswerRow> AnswerRows() {
  const Is lists = Asks("list", "pods", "", "kubectl");
  const Is puts_status = Asks("update", "replicasets", "status");
  const Is patches_status = Asks("patch", "pods", "status");
  const Is creates = Asks("create", "pods");
  const Is binds = Asks("create", "pods", "binding");
  const Is deletes = Asks("delete", "pods", "", "kubectl");
  return {
      {"a consistent list is older than the store was",
       [=](Trace* t) {
         Record* r = AnswerTo(t, lists);
         SetField(r, "rv", Value::Of(2));
         SetField(r, "items", Value::Of(0));
       }},
      {"a list is newer than the store", [=](Trace* t) { Add(AnswerTo(t, lists), "rv", 500); }},
      {"a list is older than the revision it named",
       [=](Trace* t) {
         Record* answer = AnswerTo(t, lists);
         Record* r = RequestOf(t, *answer);
         const std::string named = std::to_string(answer->Int("rv"));
         SetField(r, "params", r->Get("params").Set("resourceVersion", Value::Of(named)));
         Add(answer, "rv", -1);
       }},
      {"a status that was put has an older revision",
       [=](Trace* t) { Add(AnswerTo(t, puts_status), "rv", -1); }},
      {"a status that was put has one that is to come",
       [=](Trace* t) { Add(AnswerTo(t, puts_status), "rv", 500); }},
      {"a status that was patched has another's",
       [=](Trace* t) { Add(AnswerTo(t, patches_status), "rv", 1); }},
      {"a creation was done, and its name is taken",
       [=](Trace* t) { Refuse(AnswerTo(t, creates), 409, "AlreadyExists"); }},
      {"a binding was done, and its pod is not there",
       [=](Trace* t) { Refuse(AnswerTo(t, binds), 404, "NotFound"); }},
      {"a binding was not done", [=](Trace* t) { OfNobody(t, *AnswerTo(t, binds)); }},
      {"a pod was marked, and is not there",
       [=](Trace* t) { Refuse(AnswerTo(t, deletes), 404, "NotFound"); }},
      {"a pod was removed, and that was refused",
       [=](Trace* t) {
         Refuse(AnswerTo(t, Asks("delete", "pods", "", "kubelet/")), 409, "Conflict");
       }},
      {"a deletion was not done",
       [=](Trace* t) {
         Record* answer = AnswerTo(t, deletes);
         OfNobody(t, *answer);
         // A pod that is not deleted later.
         const std::size_t kept = Find(
             *t,
             [](const Record& r) {
               return r.kind == Kind::kCommit && r.Text("resource") == "pods" &&
                      r.Text("op") == "create";
             },
             2);
         SetField(RequestOf(t, *answer), "name", t->events[kept].Get("name"));
       }},
      {"a request is answered twice",
       [=](Trace* t) {
         const Record again = *AnswerTo(t, patches_status);
         t->events.push_back(again);
       }},
      {"an answer to what nobody asked",
       [=](Trace* t) { SetField(AnswerTo(t, patches_status), "id", Value::Of(987654)); }},
  };
}

TEST(AnswerMutants, EachIsCaught) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    const Trace whole = Recorded("delete-pod", compat);
    for (const AnswerRow& row : AnswerRows()) {
      Trace mutant = whole;
      row.change(&mutant);
      EXPECT_EQ(Violated(mutant).count("store.linearizable"), 1u)
          << compat << ": " << row.what << "\n"
          << Messages(mutant);
    }
  }
}

// --- answers that look wrong and are legal ---

std::string Scenario(const std::string& steps, const std::string& faults,
                     const std::string& finalizers) {
  return R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: answers}
spec:
  cluster: {nodes: 2}
  steps:
  - {at: 0s, create: {documents: all}}
)" + steps +
         "  faults: [" + faults + R"(]
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx}]}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default)" +
         finalizers + R"(}
spec: {containers: [{name: c, image: nginx}]}
)";
}

// A request of this verb got this code (0: no answer), and wrote something or not.
bool Happened(const Trace& t, const std::string& verb, int code, bool wrote) {
  for (const Record& r : t.events) {
    if (r.kind != Kind::kRequest || r.Text("verb") != verb) continue;
    const std::int64_t id = r.Int("id");
    const std::size_t answer = Find(t, AnswerTo(id));
    const bool commits = Find(t, [&](const Record& x) {
                           return x.kind == Kind::kCommit && x.Int("request") == id;
                         }) < t.events.size();
    const std::int64_t got = answer < t.events.size() ? t.events[answer].Int("code") : 0;
    if (got == code && commits == wrote) return true;
  }
  return false;
}

TEST(AnswerMutants, LegalAnswersAreSilent) {
  struct Case {
    const char *what, *steps, *faults, *finalizers, *verb;
    int code;
    bool wrote;
  };
  const char* twice =
      "  - {at: 20s, delete: {resource: pods/p, wait: false}}\n"
      "  - {at: 20100ms, delete: {resource: pods/p, wait: false}}\n";
  const char* daemon =
      "  - {at: 20s, create: {objects: ["
      "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: ds}, spec: {selector: {matchLabels: "
      "{app: ds}}, template: {metadata: {labels: {app: ds}}, spec: {containers: [{name: c, image: "
      "nginx}]}}}}, {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: ds}, "
      "spec: {maxUnavailable: 1, selector: {matchLabels: {app: ds}}}}, {apiVersion: v1, kind: Pod, "
      "metadata: {name: d, labels: {app: ds}, ownerReferences: [{apiVersion: apps/v1, kind: "
      "DaemonSet, name: ds, controller: true, uid: 00000000-0000-0000-0000-000000000001}]}, "
      "spec: {containers: [{name: c, image: nginx}]}}]}}\n";
  const char* scale = "  - {at: 20s, scale: {resource: replicasets/web, replicas: 3}}\n";
  const Case cases[] = {
      {"the second deletion changes nothing", twice, "", "", "delete", 200, false},
      {"nor does one of what a finalizer keeps", twice, "", ", finalizers: [a.b/c]", "delete", 200,
       false},
      {"a deletion at once", "  - {at: 20s, delete: {resource: pods/p, gracePeriodSeconds: 0}}\n",
       "", "", "delete", 200, true},
      {"a DaemonSet has no scale", daemon, "", "", "get", 404, false},
      {"an eviction", "  - {at: 20s, evict: {pod: p}}\n", "", "", "create", 201, true},
      {"an update that is lost after it was done", scale,
       "{at: 19s, timeoutWrite: {client: kube-controller-manager, verb: create, applied: true}}",
       "", "create", 0, true},
      {"one that is lost before", scale,
       "{at: 19s, timeoutWrite: {client: kube-controller-manager, verb: create, applied: false}}",
       "", "create", 0, false},
      {"a fault refuses a creation: its sender is not known", scale,
       "{at: 19s, rejectWrite: {client: kube-controller-manager, verb: create, code: 401}}", "",
       "create", 401, false},
      {"another writer is faster", scale,
       "{at: 19s, rejectWrite: {client: kube-controller-manager, verb: update, code: 409}}", "",
       "update", 409, false},
      {"a status that is forbidden", scale,
       "{at: 19s, rejectWrite: {client: kubelet/node-1, verb: patch, code: 403}}, "
       "{at: 19s, rejectWrite: {client: kubelet/node-2, verb: patch, code: 403}}",
       "", "patch", 403, false},
      {"etcd gives up, and does it", scale,
       "{at: 19s, timeoutWrite: {client: kube-controller-manager, verb: create, code: 500, "
       "applied: true}}",
       "", "create", 500, true},
      {"etcd gives up, and does it not", scale,
       "{at: 19s, timeoutWrite: {client: kube-controller-manager, verb: create, code: 500}}", "",
       "create", 500, false},
      {"etcd does it and does not answer", scale,
       "{at: 19s, timeoutWrite: {client: kube-controller-manager, verb: create, code: 504, "
       "applied: true}}",
       "", "create", 504, true},
      {"an API server dies in between", scale,
       "{at: 20s, restart: {process: kube-apiserver-0, down: 2s}}", "", "create", 201, true},
  };
  for (const Case& c : cases) {
    for (const char* compat : {"1.25", "1.30", "1.36"}) {
      const Trace trace = RunOf(Scenario(c.steps, c.faults, c.finalizers), compat);
      EXPECT_TRUE(Happened(trace, c.verb, c.code, c.wrote)) << c.what << ", " << compat;
      EXPECT_EQ(Messages(trace).find("store.linearizable"), std::string::npos)
          << c.what << ", " << compat << "\n"
          << Messages(trace);
    }
  }
}

}  // namespace
}  // namespace ksim::check
