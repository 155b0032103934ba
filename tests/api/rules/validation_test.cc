#include "tests/api/rules/validation_fixture.h"

namespace ksim::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using value::Value;

TEST(Validation, WalkThroughObjectsAreValid) {
  const std::pair<const char*, std::string> kObjects[] = {
      {"rs", std::string(kReplicaSetYaml)},
      {"pods", std::string(kPodYaml)},
      {"nodes",
       "{metadata: {name: node-1}, status: {capacity: {cpu: '4', memory: 8Gi, pods: '110'}}}"},
      {"ns", "metadata: {name: default}"},
      {"leases",
       "{metadata: {name: node-1, namespace: kube-node-lease}, spec: {holderIdentity: "
       "node-1, leaseDurationSeconds: 40, renewTime: '2025-01-01T00:00:00.000000Z'}}"},
      {"events",
       "{metadata: {name: my-pod.17, namespace: default}, involvedObject: {kind: Pod, "
       "namespace: default, name: my-pod}, reason: Scheduled, type: Normal}"},
      {"events",
       "{metadata: {name: node-1.17, namespace: default}, involvedObject: {kind: Node, "
       "name: node-1}, reason: Starting}"},
      {"cm", "{metadata: {name: kube-root-ca.crt, namespace: default}, data: {ca.crt: x}}"},
      {"secrets", "{metadata: {name: s, namespace: default}, data: {k: eA==}}"},
      {"sa", "metadata: {name: default, namespace: default}"},
      {"pc", "{metadata: {name: high}, value: 1000000}"},
      {"svc", "{metadata: {name: web, namespace: default}, spec: {ports: [{port: 80}]}}"},
      {"deploy",
       "{metadata: {name: d, namespace: default}, spec: {selector: {matchLabels: {a: b}}, "
       "template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}"},
      {"jobs",
       "{metadata: {name: j, namespace: default, uid: u}, spec: {template: {metadata: {}, "
       "spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}"},
  };
  for (const auto& [kind, yaml] : kObjects) {
    for (const Compat compat : kAllCompats) {
      EXPECT_THAT(CreateErrors(kind, yaml, compat), IsEmpty()) << kind;
      const Value object = Prepared(kind, yaml, compat);
      EXPECT_THAT(UpdateErrors(kind, object, object, "", compat), IsEmpty()) << kind;
      EXPECT_THAT(UpdateErrors(kind, object, object, "status", compat), IsEmpty()) << kind;
    }
  }
}

// API-65, API-71
// Real servers of 1.30 and 1.36 word it so.
TEST(Validation, ThePodDeletionCostIsAWholeNumber) {
  const auto errors = [](const std::string& cost) {
    return CreateErrors("pods",
                        "{metadata: {name: p, namespace: default, annotations: {"
                        "controller.kubernetes.io/pod-deletion-cost: '" +
                            cost + "'}}, spec: {containers: [{name: c, image: i}]}}");
  };
  for (const char* good : {"0", "-5", "2147483647"}) EXPECT_THAT(errors(good), IsEmpty()) << good;
  for (const std::string bad : {"+5", "05", "", "x", "1.5", "2147483648"})
    EXPECT_THAT(errors(bad),
                ElementsAre("metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: "
                            "Invalid value: \"" +
                            bad + "\": must be a 32bit integer"));
  // Validation holds an update to the rule unless the stored object broke it already, which a write
  // of /status can bring about.
  const Value good = Prepared("pods",
                              "{metadata: {name: p, namespace: default, annotations: {a: b}}, "
                              "spec: {containers: [{name: c, image: i}]}}");
  const Value bad = With(good, "metadata.annotations['controller.kubernetes.io/pod-deletion-cost']",
                         Value::Of("x"));
  const char* cost =
      "metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: "
      "Invalid value: \"x\": must be a 32bit integer";
  EXPECT_THAT(UpdateErrors("pods", bad, good), ElementsAre(cost));
  EXPECT_THAT(UpdateErrors("pods", bad, good, "status"), IsEmpty());
  EXPECT_THAT(UpdateErrors("pods", bad, bad), IsEmpty());
}

TEST(Validation, Names) {
  constexpr std::string_view kSubdomain =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
      "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
      "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
  EXPECT_THAT(CreateErrors("cm", "metadata: {namespace: default}"),
              ElementsAre("metadata.name: Required value: name or generateName is required"));
  EXPECT_THAT(
      CreateErrors("cm", "metadata: {name: Bad_Name, namespace: default}"),
      ElementsAre("metadata.name: Invalid value: \"Bad_Name\": " + std::string(kSubdomain)));
  EXPECT_THAT(CreateErrors("cm", "metadata: {name: x, generateName: x-, namespace: default}"),
              IsEmpty());
  EXPECT_THAT(CreateErrors("cm", "metadata: {name: x}"),
              ElementsAre("metadata.namespace: Required value"));
  EXPECT_THAT(CreateErrors("nodes", "metadata: {name: x, namespace: y}"),
              ElementsAre("metadata.namespace: Forbidden: not allowed on this type"));
  EXPECT_THAT(CreateErrors("ns", "metadata: {name: a.b}"),
              ElementsAre("metadata.name: Invalid value: \"a.b\": must not contain dots"));
  const std::string long_name(254, 'a');
  EXPECT_THAT(CreateErrors("cm", "metadata: {namespace: default, name: " + long_name + "}"),
              ElementsAre("metadata.name: Invalid value: \"" + long_name +
                          "\": must be no more than 253 characters"));
  EXPECT_THAT(CreateErrors("events", "{metadata: {namespace: default, name: " + long_name +
                                         "}, involvedObject: {namespace: default}}"),
              IsEmpty())
      << "a real 1.30 stores it";
  EXPECT_THAT(CreateErrors("svc",
                           "{metadata: {name: 1web, namespace: default}, spec: {ports: [{port: "
                           "80}]}}",
                           Compat::k1_30),
              ElementsAre(HasSubstr("a DNS-1035 label must consist of")));
}

// API-71
TEST(Validation, LabelsAndAnnotations) {
  EXPECT_THAT(
      CreateErrors("cm", "metadata: {name: x, namespace: default, labels: {'-a': 'b c'}}"),
      ElementsAre(
          "metadata.labels: Invalid value: \"-a\": name part must consist of alphanumeric "
          "characters, '-', '_' or '.', and must start and end with an alphanumeric "
          "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
          "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          "metadata.labels: Invalid value: \"b c\": a valid label must be an empty string or "
          "consist of alphanumeric characters, '-', '_' or '.', and must start and end with "
          "an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex "
          "used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"));
  const std::string long_value(64, 'a');
  const std::string yaml =
      "metadata: {name: x, namespace: default, labels: {a: " + long_value + "}}";
  EXPECT_THAT(CreateErrors("cm", yaml), ElementsAre(HasSubstr("must be no more than 63 bytes")));
  EXPECT_THAT(CreateErrors("cm", yaml, Compat::k1_30),
              ElementsAre(HasSubstr("must be no more than 63 characters")));
  Value big = Prepared("cm", "metadata: {name: x, namespace: default}");
  big = With(big, "metadata.annotations.a", Value::String(std::string(256 * 1024, 'x')));
  EXPECT_THAT(Texts(ValidateCreate(KindOf("cm"), big, Compat::k1_36)),
              ElementsAre("metadata.annotations: Too long: may not be more than 262144 bytes"));
  EXPECT_THAT(Texts(ValidateCreate(KindOf("cm"), big, Compat::k1_30)),
              ElementsAre("metadata.annotations: Too long: must have at most 262144 bytes"));
  EXPECT_THAT(CreateErrors("cm", "metadata: {name: x, namespace: d, annotations: {A.B/C: x}}"),
              IsEmpty());
}

// API-72
TEST(Validation, OwnerReferences) {
  const auto owners = [](std::string_view list) {
    return "metadata: {name: x, namespace: default, ownerReferences: " + std::string(list) + "}";
  };
  EXPECT_THAT(CreateErrors("cm", owners("[{}]")),
              ElementsAre("metadata.ownerReferences.apiVersion: Invalid value: \"\": version must "
                          "not be empty",
                          "metadata.ownerReferences.kind: Invalid value: \"\": must not be empty",
                          "metadata.ownerReferences.name: Invalid value: \"\": must not be empty",
                          "metadata.ownerReferences.uid: Invalid value: \"\": must not be empty"));
  EXPECT_THAT(CreateErrors("cm", owners("[{apiVersion: v1, name: a, uid: u}]"), Compat::k1_30),
              ElementsAre("metadata.ownerReferences.kind: Invalid value: \"\": kind must not be "
                          "empty"));
  EXPECT_THAT(
      CreateErrors("cm", owners("[{apiVersion: v1, kind: A, name: a, uid: u, controller: true}, "
                                "{apiVersion: v1, kind: B, name: b, uid: w, controller: true}]")),
      ElementsAre(HasSubstr("Only one reference can have Controller set to true. Found \"true\" in "
                            "references for A/a and B/b")));
}

// API-105
TEST(Validation, OrphanAndForegroundExcludeEachOther) {
  EXPECT_THAT(
      CreateErrors("cm",
                   "metadata: {name: x, namespace: d, finalizers: [orphan, "
                   "foregroundDeletion]}"),
      ElementsAre("metadata.finalizers: Invalid value: [\"orphan\",\"foregroundDeletion\"]: "
                  "finalizer orphan and foregroundDeletion cannot be both set"));
}

// Each kind validates its metadata, and the rules that all kinds share do so too.
auto Twice(const char* text) { return ElementsAre(text, text); }

// API-79, API-80
TEST(Validation, MetadataThatMayNotChange) {
  const Value old = Yaml(
      "metadata: {name: x, namespace: d, uid: u, creationTimestamp: "
      "'2025-01-01T00:00:00Z', finalizers: [a.b/c]}");
  EXPECT_THAT(UpdateErrors("cm", With(old, "metadata.uid", Value::Of("w")), old),
              Twice("metadata.uid: Invalid value: \"w\": field is immutable"));
  EXPECT_THAT(UpdateErrors("cm", With(old, "metadata.name", Value::Of("y")), old),
              Twice("metadata.name: Invalid value: \"y\": field is immutable"));
  const Value marked = With(old, "metadata.deletionTimestamp", Value::Of("2025-01-01T00:01:00Z"));
  EXPECT_THAT(UpdateErrors("cm", marked, old),
              Twice("metadata.deletionTimestamp: Invalid value: \"2025-01-01T00:01:00Z\": field "
                    "is immutable"));
  EXPECT_THAT(UpdateErrors("cm", marked, old, "", Compat::k1_30),
              Twice("metadata.deletionTimestamp: Invalid value: 2025-01-01 00:01:00 +0000 UTC: "
                    "field is immutable"));
  EXPECT_THAT(UpdateErrors("cm", With(marked, "metadata.finalizers", Yaml("[z.b/c, a.b/c, b.b/c]")),
                           marked),
              Twice("metadata.finalizers: Forbidden: no new finalizers can be added if the "
                    "object is being deleted, found new finalizers []string{\"b.b/c\", "
                    "\"z.b/c\"}"));
  EXPECT_THAT(UpdateErrors("cm", With(marked, "metadata.finalizers", Yaml("[]")), marked),
              IsEmpty());
}

TEST(Validation, OtherKinds) {
  const struct {
    const char* kind;
    const char* yaml;
    std::vector<std::string> errors;
  } kCases[] = {
      {"nodes",
       "{metadata: {name: n}, spec: {taints: [{key: a, effect: NoSchedule}, {key: a, effect: "
       "NoSchedule}, {key: b}]}}",
       {"metadata.taints[1]: Duplicate value: {\"Key\":\"a\",\"Value\":\"\",\"Effect\":"
        "\"NoSchedule\",\"TimeAdded\":null}: taints must be unique by key and effect pair",
        "metadata.taints[2].effect: Required value"}},
      {"leases",
       "{metadata: {name: l, namespace: d}, spec: {leaseDurationSeconds: 0, "
       "leaseTransitions: -1}}",
       {"spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
        "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0"}},
      {"events",
       "{metadata: {name: e, namespace: a}, involvedObject: {namespace: b}}",
       {"involvedObject.namespace: Invalid value: \"b\": does not match event.namespace"}},
      {"cm",
       "{metadata: {name: c, namespace: d}, data: {'a b': x}}",
       {"data[a b]: Invalid value: \"a b\": a valid config key must consist of alphanumeric "
        "characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used "
        "for validation is '[-._a-zA-Z0-9]+')"}},
      {"secrets",
       "{metadata: {name: c, namespace: d}, type: kubernetes.io/tls}",
       {"data[tls.crt]: Required value", "data[tls.key]: Required value"}},
      {"pc",
       "{metadata: {name: p}, value: 2000000000}",
       {"value: Forbidden: maximum allowed value of a user defined priority is 1000000000"}},
      {"jobs",
       "{metadata: {name: j, namespace: d, uid: u}, spec: {template: {spec: {containers: "
       "[{name: c, image: i}]}}}}",
       {"spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", "
        "\"Never\""}},
      {"ds",
       "{metadata: {name: d, namespace: d}, spec: {selector: {}, template: {spec: {containers: "
       "[{name: c, image: i}]}}}}",
       {"spec.selector: Invalid value: {}: empty selector is invalid for daemonset"}},
      {"sts",
       "{metadata: {name: d, namespace: d}, spec: {podManagementPolicy: X, selector: "
       "{matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: "
       "[{name: c, image: i}]}}}}",
       {"spec.podManagementPolicy: Invalid value: \"X\": must be 'OrderedReady' or 'Parallel'"}},
  };
  for (const auto& c : kCases) EXPECT_EQ(CreateErrors(c.kind, c.yaml), c.errors) << c.yaml;
}

TEST(Validation, UpdatesOfOtherKinds) {
  const Value node =
      Yaml("{metadata: {name: n}, spec: {providerID: a, podCIDRs: [10.0.0.0/24], taints: []}}");
  EXPECT_THAT(
      UpdateErrors("nodes", With(node, "spec.taints", Yaml("[{key: a, effect: NoExecute}]")), node),
      IsEmpty());
  EXPECT_THAT(UpdateErrors("nodes", With(node, "spec.providerID", Value::Of("b")), node),
              ElementsAre(HasSubstr("node updates may not change providerID")));
  const Value cm = Yaml("{metadata: {name: n, namespace: d}, immutable: true, data: {a: b}}");
  EXPECT_THAT(UpdateErrors("cm", With(cm, "data.a", Value::Of("c")), cm),
              ElementsAre("data: Forbidden: field is immutable when `immutable` is set"));
  const Value secret = Yaml("{metadata: {name: n, namespace: d}, type: a}");
  EXPECT_THAT(UpdateErrors("secrets", With(secret, "type", Value::Of("b")), secret),
              ElementsAre("type: Invalid value: \"b\": field is immutable"));
  const Value pc = Yaml("{metadata: {name: n}, value: 1, preemptionPolicy: Never}");
  EXPECT_THAT(UpdateErrors("pc", With(pc, "value", Value::Of(2)), pc),
              ElementsAre("value: Forbidden: may not be changed in an update."));
  const Value ns = Yaml("{metadata: {name: n}, status: {phase: Terminating}}");
  EXPECT_THAT(UpdateErrors("ns", ns, ns, "status"),
              ElementsAre("status.Phase: Invalid value: \"Terminating\": may only be 'Active' if "
                          "`deletionTimestamp` is empty"));
}

TEST(Validation, GenericKindsAreCheckedInTheirMetadata) {
  Kinds kinds;
  const ResourceInfo& widget = *kinds.AddGeneric("example.com/v1", "Pod");
  EXPECT_THAT(
      ValidateCreate(widget, Yaml("{metadata: {name: x, namespace: d}, spec: 3}"), Compat::k1_36),
      IsEmpty());
  EXPECT_THAT(Texts(ValidateCreate(widget, Yaml("{metadata: {namespace: d}}"), Compat::k1_36)),
              ElementsAre("metadata.name: Required value: name or generateName is required"));
}

}  // namespace
}  // namespace ksim::api
