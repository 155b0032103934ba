// FaultRun is one run of a small cluster with faults, with queries on its trace.
#pragma once
#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ksim/scenario/runner.h"
#include "ksim/value/json.h"
#include "tests/scenario/from_text.h"

namespace ksim::fault {

using Fields = std::vector<std::pair<std::string, std::string>>;

// The watch of pods by the kube-controller-manager.
inline const Fields kPodWatch{{"client", "kube-controller-manager"}, {"resource", "pods"}};

// A scenario with this text under `spec:` and the ReplicaSet web (2 pods) as a second document.
inline std::string ScenarioText(const std::string& spec) {
  return "apiVersion: ksim.dev/v1\nkind: Scenario\nmetadata: {name: test}\nspec:\n" + spec +
         R"(---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx}]}
)";
}

inline const std::string kAskWebhook =
    "  - {at: 0s, create: {object: {apiVersion: admissionregistration.k8s.io/v1, kind: "
    "ValidatingWebhookConfiguration, metadata: {name: pods}, webhooks: [{name: pods.example.com, "
    "sideEffects: None, admissionReviewVersions: [v1], failurePolicy: Ignore, timeoutSeconds: 3, "
    "clientConfig: {url: \"https://pods.example.com/\"}, rules: [{operations: [CREATE], "
    "apiGroups: [\"\"], apiVersions: [v1], resources: [pods]}]}]}}}\n";

class FaultRun {
 public:
  explicit FaultRun(const scenario::Scenario& scenario)
      : runner_(scenario, scenario::RunnerOptions()) {
    report = runner_.Run();
    for (const sim::Event& e : runner_.events())
      events.push_back(trace::Render(e, trace::RenderOptions()));
  }

  // A cluster of two nodes with `faults` as the items of spec.faults; the user creates the
  // ReplicaSet at 0 s.
  // The kube-controller-managers elect a leader if a fault is about leader election; the webhook
  // pods.example.com is asked about new pods, though nobody serves it, if a fault is about
  // webhooks.
  static std::unique_ptr<FaultRun> With(const std::string& faults, const std::string& more = "") {
    const bool elects = faults.find("failover: ") != std::string::npos;
    const bool asks = faults.find("slowWebhook: ") != std::string::npos;
    const std::string controllers = elects ? ", controllers: [{name: \"*\", replicas: 3}]" : "";
    return std::make_unique<FaultRun>(
        Load("  cluster: {nodes: 2" + controllers + "}\n  steps:\n" + (asks ? kAskWebhook : "") +
             "  - {at: 0s, create: {document: ReplicaSet/web}}\n" + more + "  faults:\n" + faults));
  }

  static scenario::Scenario Load(const std::string& spec) {
    return scenario::Only(scenario::LoadText(ScenarioText(spec)));
  }

  static bool Has(const trace::Record& r, const Fields& fields) {
    for (const auto& [name, wanted] : fields) {
      if (name == "actor") {
        if (r.actor != wanted) return false;
        continue;
      }
      const value::Value& v = r.Get(name);
      if ((v.is_string() ? std::string(v.AsString()) : value::ToJson(v)) != wanted) return false;
    }
    return true;
  }

  // The first such event after event `seq`; one with seq 0 if there is none.
  const trace::Record& First(sim::EventKind kind, const Fields& fields,
                             std::uint64_t seq = 0) const {
    static const trace::Record none;
    for (const trace::Record& r : events)
      if (r.seq > seq && r.kind == kind && Has(r, fields)) return r;
    return none;
  }

  // The number of such events after event `from` and before event `to` (0: to the end).
  int Count(sim::EventKind kind, const Fields& fields, std::uint64_t from = 0,
            std::uint64_t to = 0) const {
    int n = 0;
    for (const trace::Record& r : events)
      if (r.seq > from && (to == 0 || r.seq < to) && r.kind == kind && Has(r, fields)) ++n;
    return n;
  }

  const trace::Record& Begin(const std::string& verb) const {
    return First(sim::EventKind::kFault, {{"verb", verb}, {"state", "begin"}});
  }
  const trace::Record& End(const std::string& verb) const {
    return First(sim::EventKind::kFault, {{"verb", verb}, {"state", "end"}});
  }
  Duration Lasted(const std::string& verb) const { return Duration(End(verb).t - Begin(verb).t); }

  std::string FirstLeader() const {
    return std::string(First(sim::EventKind::kActor, {{"state", "lead"}}).Text("process"));
  }

  int Pods() {
    int n = 0;
    const api::ResourceInfo* pods = runner_.world().kinds().ByName("pods");
    for (const api::Object& o : runner_.world().Objects(*pods))
      if (o.ToTree().Get("status").Get("phase").AsString() == "Running") ++n;
    return n;
  }
  trace::Trace Trace() const { return runner_.MakeTrace(trace::RenderOptions()); }

  scenario::RunReport report;
  std::vector<trace::Record> events;

 private:
  scenario::Runner runner_;
};

}  // namespace ksim::fault
