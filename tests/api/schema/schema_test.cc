#include "ksim/api/schema/schema.h"

#include <algorithm>
#include <array>
#include <set>
#include <thread>
#include <vector>

#include "ksim/api/schema/go_types.h"
#include "tests/api/fixture.h"

namespace ksim::api {
namespace {

using value::Value;

std::string TypeError(std::string_view kind, std::string_view yaml) {
  return CheckSchema(KindOf(kind), Yaml(yaml)).type_error;
}

TEST(Schema, WrongTypesReadAsGoSaysThem) {
  const struct {
    const char* kind;
    const char* yaml;
    const char* error;
  } kCases[] = {
      {"rs", "spec: {replicas: three}",
       "json: cannot unmarshal string into Go struct field ReplicaSetSpec.spec.replicas of type "
       "int32"},
      {"rs", "spec: {replicas: 1.5}",
       "json: cannot unmarshal number 1.5 into Go struct field ReplicaSetSpec.spec.replicas of "
       "type int32"},
      {"rs", "spec: {replicas: 3000000000}",
       "json: cannot unmarshal number 3000000000 into Go struct field ReplicaSetSpec.spec.replicas "
       "of type int32"},
      {"rs", "spec: {template: {spec: {containers: [{ports: [{containerPort: '80'}]}]}}}",
       "json: cannot unmarshal string into Go struct field "
       "ContainerPort.spec.template.spec.containers.ports.containerPort of type int32"},
      {"pods", "metadata: {labels: {a: 1}}",
       "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type "
       "string"},
      {"pods", "spec: {containers: {name: a}}",
       "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type "
       "[]v1.Container"},
      {"pods", "spec: {restartPolicy: true}",
       "json: cannot unmarshal bool into Go struct field PodSpec.spec.restartPolicy of type "
       "v1.RestartPolicy"},
      {"pods", "spec: []",
       "json: cannot unmarshal array into Go struct field Pod.spec of type v1.PodSpec"},
      {"pods", "spec: {containers: [{resources: {requests: {cpu: lots}}}]}",
       "quantities must match the regular expression "
       "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
      {"pods", "metadata: {creationTimestamp: soon}",
       "parsing time \"soon\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"soon\" as \"2006\""},
      {"pods", "metadata: {creationTimestamp: '2026-01-01 10:00:00Z'}",
       "parsing time \"2026-01-01 10:00:00Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse "
       "\" 10:00:00Z\" as \"T\""},
      {"pods", "metadata: {creationTimestamp: '2026-13-01T10:00:00Z'}",
       "parsing time \"2026-13-01T10:00:00Z\": month out of range"},
      {"pods", "metadata: {creationTimestamp: '2026-02-29T10:00:00Z'}",
       "parsing time \"2026-02-29T10:00:00Z\": day out of range"},
      {"leases", "spec: {renewTime: '2026-01-01T10:00:00Z'}",
       "parsing time \"2026-01-01T10:00:00Z\" as \"2006-01-02T15:04:05.000000Z07:00\": cannot "
       "parse \"Z\" as \".000000\""},
      {"secrets", "data: {k: '%%'}", "illegal base64 data at input byte 0"},
      {"secrets", "data: {k: b}", "illegal base64 data at input byte 0"},
      {"secrets", "data: {k: YWJjZ}", "illegal base64 data at input byte 4"},
      {"secrets", "data: {k: YWJj}", ""},
      {"rs", "spec: {replicas: 2.0}", ""},
  };
  for (const auto& c : kCases) EXPECT_EQ(TypeError(c.kind, c.yaml), c.error) << c.yaml;
}

// API-94
TEST(Schema, UnknownFieldsWarnRefuseOrPassSilently) {
  const Value body = Yaml(
      "{apiVersion: v1, kind: Pod, spec: {foo: 1, containers: [{name: c, imag: x}]}, extra: 1}");
  const std::vector<std::string> kUnknown = {"unknown field \"extra\"",
                                             "unknown field \"spec.containers[0].imag\"",
                                             "unknown field \"spec.foo\""};
  EXPECT_EQ(CheckSchema(KindOf("pods"), body).unknown_fields, kUnknown);

  for (const char* mode : {"", "Warn"}) {
    std::vector<std::string> warnings;
    const Result<Value> decoded = Decode(KindOf("pods"), body, mode, &warnings);
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(warnings, kUnknown);
    EXPECT_EQ(value::ToJson(*decoded),
              R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"c"}]}})");
  }
  std::vector<std::string> warnings;
  EXPECT_TRUE(Decode(KindOf("pods"), body, "Ignore", &warnings).ok());
  EXPECT_TRUE(warnings.empty());

  const Result<Value> strict = Decode(KindOf("pods"), body, "Strict", nullptr);
  ASSERT_FALSE(strict.ok());
  EXPECT_EQ(strict.status().code, 400);
  EXPECT_EQ(strict.status().reason, "BadRequest");
  EXPECT_EQ(
      strict.status().message,
      "Pod in version \"v1\" cannot be handled as a Pod: strict decoding error: unknown field "
      "\"extra\", unknown field \"spec.containers[0].imag\", unknown field \"spec.foo\"");
}

TEST(Schema, ATypeErrorIsABadRequest) {
  const Result<Value> refused = Decode(KindOf("rs"), Yaml("spec: {replicas: three}"), "", nullptr);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code, 400);
  EXPECT_EQ(
      refused.status().message,
      "ReplicaSet in version \"v1\" cannot be handled as a ReplicaSet: json: cannot unmarshal "
      "string into Go struct field ReplicaSetSpec.spec.replicas of type int32");
}

// Decoding drops what a typed server would not write again; the rest is the same tree.
TEST(Schema, DecodingNormalises) {
  const Value messy = Yaml(R"(
metadata: {name: x, creationTimestamp: null, labels: {}, annotations: {a: null}}
spec:
  nodeName: ""
  replicas: 2.0
  template: {spec: {containers: [{name: c, resources: {requests: {cpu: 0.5, memory: 1024Mi}}}]}}
)");
  const Result<Value> rs = Decode(KindOf("rs"), messy, "Ignore", nullptr);
  ASSERT_TRUE(rs.ok());
  EXPECT_EQ(JsonAt(*rs, "metadata"), R"({"annotations":{"a":""},"name":"x"})");
  EXPECT_EQ(JsonAt(*rs, "spec.replicas"), "2");
  EXPECT_EQ(JsonAt(*rs, "spec.nodeName"), "null");
  EXPECT_EQ(JsonAt(*rs, "spec.template.spec.containers[0].resources.requests"),
            R"({"cpu":"500m","memory":"1Gi"})");

  const Value clean = Yaml(kReplicaSetYaml);
  const Result<Value> same = Decode(KindOf("rs"), clean, "Strict", nullptr);
  ASSERT_TRUE(same.ok());
  EXPECT_TRUE(same->SameTree(clean));
}

TEST(Schema, CustomKindsAreCheckedInTheirMetadataOnly) {
  Kinds kinds;
  const ResourceInfo& widget = *kinds.AddGeneric("example.com/v1", "Widget");
  EXPECT_EQ(CheckSchema(widget, Yaml("{spec: {any: [1, x]}, metadata: {name: x, foo: 1}}"))
                .unknown_fields.size(),
            0u);
  EXPECT_EQ(CheckSchema(widget, Yaml("{metadata: {labels: {a: 1}}}")).type_error,
            "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type "
            "string");
}

TEST(Schema, EveryTypedKindIsInTheTable) {
  for (const char* kind :
       {"Pod", "ReplicaSet", "Node", "Namespace", "Deployment", "Lease", "Event", "ConfigMap",
        "Secret", "ServiceAccount", "PriorityClass", "Service", "DaemonSet", "StatefulSet", "Job",
        "CronJob", "Binding", "events.Event"}) {
    EXPECT_NE(FindGoStruct(kind), nullptr) << kind;
  }
}

TEST(Schema, EveryStructAndTheTypesOfItsFieldsAreDefined) {
  const std::vector<std::string_view> names = GoStructNames();
  EXPECT_GT(names.size(), 400u);
  std::set<std::string_view> seen;
  for (const std::string_view name : names) {
    EXPECT_TRUE(seen.insert(name).second) << name << " is defined twice";
    const GoStruct& s = FindGoStruct(name)->fields();
    EXPECT_TRUE(std::is_sorted(s.fields.begin(), s.fields.end(), [](const auto& a, const auto& b) {
      return a.name.text() < b.name.text();
    })) << name;
  }
}

TEST(Schema, SeveralThreadsMayAskForAStructFirst) {
  const GoType* const type = FindGoStruct("HPAScalingPolicy");
  ASSERT_NE(type, nullptr);
  std::array<const GoStruct*, 4> read{};
  std::vector<std::thread> threads;
  for (const GoStruct*& mine : read)
    threads.emplace_back([&mine, type] { mine = &type->fields(); });
  for (std::thread& thread : threads) thread.join();
  for (const GoStruct* const mine : read) EXPECT_EQ(mine, &type->fields());
}

TEST(Schema, AFieldIsFoundFromWhereverTheLookBegins) {
  const GoStruct& spec = FindGoStruct("PodSpec")->fields();
  for (const GoField& field : spec.fields) {
    for (std::size_t from = 0; from <= spec.fields.size(); ++from) {
      std::size_t hint = from;
      ASSERT_EQ(spec.Find(field.name, &hint), &field);
      ASSERT_EQ(&spec.fields[hint - 1], &field);
    }
  }
  std::size_t hint = 3;
  EXPECT_EQ(spec.Find(value::Atom("noSuchField"), &hint), nullptr);
  EXPECT_EQ(hint, 3u);
}

// The table of known trees keeps types apart.
TEST(Schema, APartThatWasGoodElsewhereIsReadByItsOwnType) {
  const Value count = Yaml("{replicas: \"3\"}"), stranger = Yaml("{foo: x}");
  for (const Value& part : {count, stranger}) part.Hash();
  for (int again = 0; again < 3; ++again) {
    const Value with_count = value::Obj(
        {{"metadata", value::Obj({{"name", Value::Of("x")}, {"labels", count}})}, {"spec", count}});
    EXPECT_EQ(CheckSchema(KindOf("rs"), with_count).type_error_path, "spec.replicas");
    const Value with_stranger =
        value::Obj({{"metadata", value::Obj({{"labels", stranger}})}, {"spec", stranger}});
    const SchemaReport report = CheckSchema(KindOf("rs"), with_stranger);
    EXPECT_EQ(report.unknown_fields, std::vector<std::string>{"unknown field \"spec.foo\""});
  }
}

}  // namespace
}  // namespace ksim::api
