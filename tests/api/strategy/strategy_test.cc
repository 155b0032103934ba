#include "ksim/api/strategy/strategy.h"

#include "ksim/api/strategy/defaulting.h"
#include "ksim/api/views/qos.h"
#include "tests/api/fixture.h"

namespace ksim::api {
namespace {

using value::Value;

Value Created(std::string_view kind, std::string_view yaml, Compat compat = Compat::k1_36) {
  return PrepareForCreate(KindOf(kind), ApplyDefaults(KindOf(kind), Yaml(yaml), compat), compat);
}

Value Updated(std::string_view kind, const Value& old, const Value& updated,
              std::string_view subresource = "", Compat compat = Compat::k1_36) {
  return PrepareForUpdate(KindOf(kind), old, updated, subresource, compat);
}

Value With(const Value& tree, std::string_view path, const Value& v) {
  return tree.Set(*value::Path::Parse(path), v);
}

// API-63
TEST(Strategy, ClientsCannotChooseSystemFields) {
  const Value sent = Yaml(
      "metadata: {name: x, uid: u, creationTimestamp: '2020-01-01T00:00:00Z', selfLink: /x, "
      "deletionTimestamp: '2020-01-01T00:00:00Z', deletionGracePeriodSeconds: 3, labels: {a: b}}");
  const Value cleared = ClearSystemFields(sent);
  EXPECT_EQ(JsonAt(cleared, "metadata"), R"({"labels":{"a":"b"},"name":"x"})");
  const Value filled = FillSystemFields(cleared, "x", "the-uid", VirtualTime() + Seconds(7));
  EXPECT_EQ(JsonAt(filled, "metadata.uid"), "\"the-uid\"");
  EXPECT_EQ(JsonAt(filled, "metadata.creationTimestamp"), "\"2025-01-01T00:00:07Z\"");
}

// API-68
TEST(Strategy, StatusSentWithACreateIsDropped) {
  EXPECT_EQ(JsonAt(Created("pods", "status: {phase: Running, podIP: 1.2.3.4}"), "status"),
            R"({"phase":"Pending","qosClass":"BestEffort"})");
  EXPECT_EQ(JsonAt(Created("rs", "status: {replicas: 5, readyReplicas: 5}"), "status"),
            R"({"replicas":0})");
  EXPECT_EQ(JsonAt(Created("deploy", "status: {replicas: 5}"), "status"), "{}");
  EXPECT_EQ(JsonAt(Created("jobs", "status: {active: 5}"), "status"), "{}");
  EXPECT_EQ(JsonAt(Created("nodes", "status: {phase: x}"), "status.phase"), "\"x\"");
}

// API-69
TEST(Strategy, GenerationStartsAtOne) {
  for (const char* kind : {"rs", "deploy", "jobs", "ds", "sts", "pdb"}) {
    for (const Compat compat : kAllCompats) {
      EXPECT_EQ(JsonAt(Created(kind, "metadata: {generation: 9}", compat), "metadata.generation"),
                "1")
          << kind;
    }
  }
  EXPECT_EQ(JsonAt(Created("pods", "{}", Compat::k1_36), "metadata.generation"), "1");
  EXPECT_EQ(JsonAt(Created("pods", "{}", Compat::k1_30), "metadata.generation"), "null");
  EXPECT_EQ(JsonAt(Created("pods", "{}", Compat::k1_25), "metadata.generation"), "null");
  for (const char* kind : {"nodes", "ns", "cm", "leases", "events"}) {
    EXPECT_EQ(JsonAt(Created(kind, "metadata: {name: x}"), "metadata.generation"), "null") << kind;
  }
}

// API-110
TEST(Strategy, NamespacesStartActiveWithFinalizerAndLabel) {
  const Value ns = Created("ns", "metadata: {name: team-a}");
  EXPECT_EQ(JsonAt(ns, "status"), R"({"phase":"Active"})");
  EXPECT_EQ(JsonAt(ns, "spec.finalizers"), R"(["kubernetes"])");
  EXPECT_EQ(JsonAt(ns, "metadata.labels"), R"({"kubernetes.io/metadata.name":"team-a"})");
}

// API-117
TEST(Strategy, QosClass) {
  const struct {
    const char* containers;
    const char* qos;
  } kCases[] = {
      {"[{name: a}]", "BestEffort"},
      {"[{resources: {requests: {cpu: 1}}}]", "Burstable"},
      {"[{resources: {requests: {cpu: 1, memory: 1}, limits: {cpu: 1, memory: 1}}}]", "Guaranteed"},
      {"[{resources: {requests: {cpu: 1, memory: 1}, limits: {cpu: 2, memory: 1}}}]", "Burstable"},
      {"[{resources: {requests: {cpu: 1, memory: 1}, limits: {cpu: 1000m, memory: 1}}}, {name: b}]",
       "Burstable"},
      {"[{resources: {requests: {cpu: 0}, limits: {cpu: 0}}}]", "BestEffort"},
      {"[{resources: {requests: {'nvidia.com/gpu': 1}}}]", "BestEffort"},
      {"[{resources: {requests: {cpu: 1, memory: 1}, limits: {cpu: 1000m, memory: 1}}}]",
       "Guaranteed"},
  };
  for (const auto& c : kCases) {
    const Value spec = Yaml(std::string("containers: ") + c.containers);
    EXPECT_STREQ(ComputeQosClass(spec), c.qos) << c.containers;
  }
}

// API-81
TEST(Strategy, GenerationFollowsTheSpec) {
  for (const char* kind : {"rs", "deploy", "jobs", "ds", "sts"}) {
    const Value old = Created(kind, "{metadata: {name: x}, spec: {replicas: 1}}");
    EXPECT_EQ(
        JsonAt(Updated(kind, old, With(old, "spec.replicas", Value::Of(2))), "metadata.generation"),
        "2")
        << kind;
    EXPECT_EQ(JsonAt(Updated(kind, old, With(old, "metadata.labels.a", Value::Of("b"))),
                     "metadata.generation"),
              "1")
        << kind;
    const Value annotated = With(old, "metadata.annotations.a", Value::Of("b"));
    EXPECT_EQ(JsonAt(Updated(kind, old, annotated), "metadata.generation"),
              std::string_view(kind) == "deploy" ? "2" : "1")
        << kind;
    const Value status = With(old, "status.observedGeneration", Value::Of(1));
    EXPECT_EQ(JsonAt(Updated(kind, old, status, "status"), "metadata.generation"), "1") << kind;
  }
  const Value pod = Created("pods", kPodYaml);
  const Value image = With(pod, "spec.containers[0].image", Value::Of("nginx:2"));
  EXPECT_EQ(JsonAt(Updated("pods", pod, image), "metadata.generation"), "2");
  const Value old_pod = Created("pods", kPodYaml, Compat::k1_30);
  EXPECT_EQ(
      JsonAt(Updated("pods", old_pod, With(old_pod, "spec.activeDeadlineSeconds", Value::Of(5)), "",
                     Compat::k1_30),
             "metadata.generation"),
      "null");
}

// API-83
TEST(Strategy, EachEndpointKeepsTheOthersPart) {
  Value old = Created("rs", kReplicaSetYaml);
  old = With(old, "status.replicas", Value::Of(2));
  Value sent = With(old, "spec.replicas", Value::Of(7));
  sent = With(sent, "status.replicas", Value::Of(9));

  const Value main = Updated("rs", old, sent);
  EXPECT_EQ(JsonAt(main, "spec.replicas"), "7");
  EXPECT_EQ(JsonAt(main, "status.replicas"), "2");
  const Value status = Updated("rs", old, sent, "status");
  EXPECT_EQ(JsonAt(status, "spec.replicas"), "2");
  EXPECT_EQ(JsonAt(status, "status.replicas"), "9");
}

// API-84
TEST(Strategy, StatusEndpointAndMetadata) {
  const auto labelled = [](const Value& v) {
    return With(v, "metadata.labels.new", Value::Of("x"));
  };
  const Value rs = Created("rs", kReplicaSetYaml);
  EXPECT_EQ(JsonAt(Updated("rs", rs, labelled(rs), "status"), "metadata.labels.new"), "\"x\"");
  const Value deployment = Created("deploy", "metadata: {name: d}");
  EXPECT_EQ(
      JsonAt(Updated("deploy", deployment, labelled(deployment), "status"), "metadata.labels"),
      "null");

  Value pod = Created("pods", kPodYaml);
  pod = With(pod, "metadata.ownerReferences", Yaml("[{uid: a}]"));
  pod = With(pod, "status.observedGeneration", Value::Of(1));
  const Value sent = labelled(With(With(pod, "metadata.ownerReferences", Yaml("[{uid: b}]")),
                                   "status", Yaml("phase: Running")));
  const Value after = Updated("pods", pod, sent, "status");
  EXPECT_EQ(JsonAt(after, "metadata.ownerReferences"), R"([{"uid":"a"}])");
  EXPECT_EQ(JsonAt(after, "metadata.labels.new"), "\"x\"");
  EXPECT_EQ(JsonAt(after, "status"),
            R"({"observedGeneration":1,"phase":"Running","qosClass":"BestEffort"})");

  Kinds kinds;
  ResourceInfo info = *kinds.AddGeneric("example.com/v1", "Widget");
  info.has_status = true;
  const Value widget = Yaml("{metadata: {name: w, generation: 1}, spec: {a: 1}}");
  const Value changed = PrepareForUpdate(
      info, widget,
      labelled(With(With(widget, "spec.a", Value::Of(2)), "status.ok", Value::Of(true))), "status",
      Compat::k1_36);
  EXPECT_EQ(value::ToJson(changed),
            R"({"metadata":{"generation":1,"name":"w"},"spec":{"a":1},"status":{"ok":true}})");
}

// API-79
TEST(Strategy, SystemMetadataIsPutBack) {
  const Value old = Yaml(
      "metadata: {name: x, uid: u, generation: 4, creationTimestamp: '2025-01-01T00:00:00Z', "
      "deletionTimestamp: '2025-01-01T00:01:00Z', deletionGracePeriodSeconds: 30}");
  const Value sent = Yaml(
      "metadata: {name: x, generation: 9, creationTimestamp: '2020-01-01T00:00:00Z', selfLink: /x, "
      "deletionTimestamp: '2030-01-01T00:00:00Z'}");
  EXPECT_EQ(Updated("cm", old, sent), old);
}

// API-122
TEST(Strategy, JobsSelectTheirPodsByUid) {
  const char* const kJob = "{metadata: {name: j, uid: U}, spec: {template: {metadata: {}}}}";
  const Value job = Created("jobs", kJob);
  EXPECT_EQ(JsonAt(job, "spec.selector.matchLabels"),
            R"({"batch.kubernetes.io/controller-uid":"U"})");
  EXPECT_EQ(JsonAt(job, "spec.template.metadata.labels"),
            R"({"batch.kubernetes.io/controller-uid":"U","batch.kubernetes.io/job-name":"j",)"
            R"("controller-uid":"U","job-name":"j"})");
  EXPECT_EQ(JsonAt(Created("jobs", kJob, Compat::k1_25), "spec.selector.matchLabels"),
            R"({"controller-uid":"U"})");
  EXPECT_EQ(JsonAt(Created("jobs", "{spec: {manualSelector: true}}"), "spec.selector"), "null");
}

TEST(Strategy, CustomResourcesCountEveryChangeOutsideMetadata) {
  Kinds kinds;
  const ResourceInfo& info = *kinds.AddGeneric("example.com/v1", "Widget");
  const Value w =
      PrepareForCreate(info, Yaml("{metadata: {name: w}, spec: {a: 1}}"), Compat::k1_36);
  EXPECT_EQ(JsonAt(w, "metadata.generation"), "1");
  const auto generation = [&](const Value& sent) {
    return JsonAt(PrepareForUpdate(info, w, sent, "", Compat::k1_36), "metadata.generation");
  };
  EXPECT_EQ(generation(With(w, "spec.a", Value::Of(2))), "2");
  EXPECT_EQ(generation(With(w, "other", Value::Of(2))), "2");
  EXPECT_EQ(generation(With(w, "metadata.labels.a", Value::Of("b"))), "1");
}

TEST(Strategy, SecretsTakeStringData) {
  EXPECT_EQ(JsonAt(Created("secrets", "{stringData: {k: hello}, data: {o: eA==}}"), "data"),
            R"({"k":"aGVsbG8=","o":"eA=="})");
  EXPECT_EQ(JsonAt(Created("secrets", "stringData: {k: hello}"), "stringData"), "null");
}

// API-72
TEST(Strategy, EqualOwnersAreKeptOnce) {
  const Value twice = Yaml("metadata: {ownerReferences: [{uid: a}, {uid: b}, {uid: a}]}");
  std::string warning;
  EXPECT_EQ(JsonAt(DedupOwnerReferences(twice, false, &warning), "metadata.ownerReferences"),
            R"([{"uid":"a"},{"uid":"b"}])");
  EXPECT_EQ(warning,
            ".metadata.ownerReferences contains duplicate entries; API server dedups owner "
            "references in 1.20+, and may reject such requests as early as 1.24; please fix your "
            "requests; duplicate UID(s) observed: a");
  const Value once = Yaml("metadata: {ownerReferences: [{uid: a}, {uid: b}]}");
  EXPECT_TRUE(DedupOwnerReferences(once, false, nullptr).SameTree(once));
}

// A PUT of what is stored changes nothing: the tree stays the same, so no write follows.
TEST(Strategy, UpdatingWithTheStoredObjectIsANoOp) {
  for (const auto& [kind, yaml] : {std::pair("rs", kReplicaSetYaml), std::pair("pods", kPodYaml)}) {
    const Value stored =
        FillSystemFields(Created(kind, yaml), "x", "uid", VirtualTime() + Seconds(1));
    for (const char* subresource : {"", "status"}) {
      EXPECT_EQ(Updated(kind, stored, stored, subresource), stored) << kind << subresource;
    }
  }
}

}  // namespace
}  // namespace ksim::api
