// Admission webhooks that a program brings along, in a whole cluster.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "ksim/check/trace_law.h"
#include "ksim/cluster.h"
#include "ksim/value/base64.h"
#include "ksim/value/json.h"

namespace ksim {
namespace {

using value::Value;

constexpr const char* kManifests = R"(
apiVersion: v1
kind: Service
metadata: {name: hooks, namespace: default}
spec: {ports: [{port: 443}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: label}
webhooks:
- name: label.example.com
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig: {service: {name: hooks, namespace: default, path: /label}}
  rules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [pods]}]
)";

constexpr const char* kWeb = R"(
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: i}]}
)";

// Gives every pod a label; refuses the first that it sees.
class Labels final : public apiserver::WebhookServer, public apiserver::WebhookDirectory {
 public:
  WebhookServer* Find(const apiserver::WebhookTarget& target, std::uint64_t) override {
    return target.service == "hooks" ? this : nullptr;
  }
  const std::string& name() const override { return name_; }
  bool accepting() const override { return true; }
  void Accept(apiserver::WebhookRequest request, Reply reply) override {
    const Value review = *value::ParseJson(request.body);
    const std::string uid(review.Get("request").Get("uid").AsString());
    const std::string patch =
        value::Base64(R"([{"op":"add","path":"/metadata/labels/l","value":"y"}])");
    const std::string verdict =
        asked_++ == 0 ? R"("allowed":false,"status":{"code":403,"message":"not the first"})"
                      : R"("allowed":true,"patchType":"JSONPatch","patch":")" + patch + "\"";
    reply(apiserver::WebhookAnswer(
        fmt::format(R"({{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",)"
                    R"("response":{{"uid":"{}",{}}}}})",
                    uid, verdict)));
  }

 private:
  std::string name_ = "labels";
  int asked_ = 0;
};

std::string RunOnce(api::Compat compat) {
  Labels labels;
  ClusterOptions options;
  options.compat = compat;
  Cluster cluster(options);
  cluster.SetWebhooks(labels);
  EXPECT_TRUE(cluster.Create(kManifests).ok());
  EXPECT_TRUE(cluster.Run().ok());
  EXPECT_TRUE(cluster.Create(kWeb).ok());
  EXPECT_TRUE(cluster.Run().ok());
  const auto pods = cluster.List("pods");
  EXPECT_EQ(pods.size(), 2u);
  for (const api::Object& pod : pods)
    EXPECT_EQ(pod.tree().Get("metadata").Get("labels").Get("l").AsString(), "y");
  const trace::Trace trace = cluster.MakeTrace();
  const auto checker = check::CheckTrace(trace, {"*"});
  EXPECT_TRUE(checker.ok());
  if (!checker.ok()) return "";
  for (const check::Finding& f : check::ContradictionsIn(trace, **checker))
    ADD_FAILURE() << f.violation.message;
  int denied = 0, patched = 0;
  for (const trace::Record& r : trace.events) {
    if (r.kind != sim::EventKind::kWebhook || r.Text("state") != "answer") continue;
    EXPECT_EQ(r.Text("server"), "labels");
    EXPECT_GT(r.Int("latency"), 0) << "the way there and back takes time";
    denied += r.Text("result") == "denied" ? 1 : 0;
    patched += r.Text("result") == "patched" ? 1 : 0;
  }
  EXPECT_EQ(denied, 1);
  EXPECT_EQ(patched, 2);
  return cluster.digest();
}

// API-211, API-215
TEST(OwnWebhooks, ChangeAndRefuseWhatControllersMake) {
  for (const api::Compat compat : {api::Compat::k1_25, api::Compat::k1_30, api::Compat::k1_36})
    EXPECT_EQ(RunOnce(compat), RunOnce(compat));
}

}  // namespace
}  // namespace ksim
