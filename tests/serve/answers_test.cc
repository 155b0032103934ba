// Answers to single requests, as kube-apiserver 1.30.14 gave them to tools/apiserver-diff.
#include <gtest/gtest.h>

#include <string>

#include "tests/serve/world.h"

namespace ksim::serve {
namespace {

constexpr const char* kConfigMaps = "/api/v1/namespaces/default/configmaps";
constexpr const char* kOneMap = "/api/v1/namespaces/default/configmaps/a";
constexpr const char* kAllPods = "/api/v1/namespaces/default/pods";
constexpr const char* kJsonType = "application/json";
constexpr const char* kMergeType = "application/merge-patch+json";
constexpr const char* kJsonPatchType = "application/json-patch+json";

// A request that is refused, and the message of the Status.
struct Row {
  const char *method, *path, *body, *type;
  int code;
  const char* message;
};

// API-200, API-201, API-204
TEST(Answers, RefuseInUpstreamsWords) {
  const Row rows[] = {
      // Bodies that are no JSON (transformDecodeError, summarizeData).
      {"POST", kConfigMaps, "{", kJsonType, 400,
       "the object provided is unrecognized (must be of type ConfigMap): couldn't get "
       "version/kind; json parse error: unexpected end of JSON input ({)"},
      {"POST", kConfigMaps, "nul", kJsonType, 400,
       "the object provided is unrecognized (must be of type ConfigMap): couldn't get "
       "version/kind; json parse error: invalid character ' ' in literal null (expecting 'l') "
       "(6e756c)"},
      {"POST", kConfigMaps, R"({"kind":1})", kJsonType, 400,
       "the object provided is unrecognized (must be of type ConfigMap): couldn't get "
       "version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind "
       "of type string ({\"kind\":1})"},
      {"POST", kConfigMaps, "x", "application/vnd.kubernetes.protobuf", 400,
       "the object provided is unrecognized (must be of type ConfigMap): provided data does not "
       "appear to be a protobuf message, expected prefix [107 56 115 0] (78)"},
      // A create looks at the form of its body before its options, an update after them.
      {"POST", "/api/v1/namespaces/default/configmaps?fieldValidation=y", "{}", "text/plain", 415,
       nullptr},
      {"PUT", "/api/v1/namespaces/default/configmaps/a?fieldValidation=y", "{}", "text/plain", 422,
       nullptr},
      // Options are told before the body, all at once.
      {"POST", "/api/v1/namespaces/default/configmaps?dryRun=x&fieldValidation=y", "{", kJsonType,
       422,
       "CreateOptions.meta.k8s.io \"\" is invalid: [dryRun: Unsupported value: []string{\"x\"}: "
       "supported values: \"All\", fieldValidation: Unsupported value: \"y\": supported values: "
       "\"\", \"Ignore\", \"Strict\", \"Warn\"]"},
      {"PATCH", "/api/v1/namespaces/default/configmaps/a?force=false", "{}", kMergeType, 422,
       "PatchOptions.meta.k8s.io \"\" is invalid: force: Forbidden: may not be specified for "
       "non-apply patch"},
      {"DELETE", "/api/v1/namespaces/default/configmaps/a?propagationPolicy=&dryRun=x", "",
       kJsonType, 422,
       "DeleteOptions.meta.k8s.io \"\" is invalid: [propagationPolicy: Unsupported value: \"\": "
       "supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\", dryRun: Unsupported "
       "value: []string{\"x\"}: supported values: \"All\"]"},
      {"DELETE", kOneMap, R"({"gracePeriodSeconds":"x"})", kJsonType, 500,
       "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of "
       "type int64"},
      {"DELETE", kOneMap, R"({"apiVersion":"v1","kind":"Pod"})", kJsonType, 500,
       "no kind \"Pod\" is registered for version \"v1\" in scheme "
       "\"pkg/apis/meta/internalversion/scheme/register.go:29\""},
      {"GET", "/api/v1/namespaces/default/configmaps?timeout=x", "", kJsonType, 400,
       "invalid timeout specified in the request URL - time: invalid duration \"x\""},
      // The router looks at the method before the body, and at an object before a patch.
      {"POST", "/api/v1/namespaces/default/pods/a/status", "", kJsonType, 405,
       "the server does not allow this method on the requested resource"},
      {"DELETE", "/api/v1/namespaces/default/pods/a/log", "", kJsonType, 405,
       "the server does not allow this method on the requested resource"},
      {"PATCH", "/apis/coordination.k8s.io/v1/namespaces/default/leases/a", R"([{"op":"bad"}])",
       kJsonPatchType, 404, "leases.coordination.k8s.io \"a\" not found"},
      // Fields that are given twice.
      {"POST", "/api/v1/namespaces/default/configmaps?fieldValidation=Strict",
       R"({"metadata":{"name":"a","name":"b"},"data":{"x":"1","x":"2"},"y":1})", kJsonType, 400,
       "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: "
       "duplicate field \"metadata.name\", duplicate field \"data.x\", unknown field \"y\""},
      // Kinds of the meta groups are registered, too.
      {"POST", kAllPods, R"({"apiVersion":"v1","kind":"Status"})", kJsonType, 400,
       "Status in version \"v1\" cannot be handled as a Pod: converting (v1.Status) to (core.Pod): "
       "unknown conversion"},
      {"GET", "/apis/apps/v1/namespaces/default/statefulsets/a/scale", "", kJsonType, 404,
       "statefulsets.apps \"a\" not found"},
      {"POST", "/api/v1/nodes",
       R"({"metadata":{"name":"n"},"spec":{"taints":[{"key":"","effect":"NoSchedule"}]}})",
       kJsonType, 422, nullptr},
  };
  Served served;
  for (const Row& row : rows) {
    const Reader::Answer answer = served.Ask(row.method, row.path, row.body, row.type);
    EXPECT_EQ(answer.code, row.code) << row.method << " " << row.path << ": " << answer.body;
    if (row.message == nullptr) continue;
    EXPECT_EQ(Json(answer.body).Get("message").AsString(), row.message) << row.path;
  }
}

// API-206, in the words of both versions but for how 1.30 prints a struct.
TEST(Answers, BindingsNameTheirRoleForGood) {
  const std::string rbac = "/apis/rbac.authorization.k8s.io/v1/";
  const std::string bindings = rbac + "namespaces/default/rolebindings";
  const Row rows[] = {
      {"POST", bindings.c_str(),
       R"({"metadata":{"name":"b"},"roleRef":{"kind":"X"},"subjects":[{"kind":"ServiceAccount"},
           {"kind":"User","name":"u"},{"kind":"Y","name":"n"}]})",
       kJsonType, 422,
       "RoleBinding.rbac.authorization.k8s.io \"b\" is invalid: [roleRef.kind: Unsupported value: "
       "\"X\": supported values: \"Role\", \"ClusterRole\", roleRef.name: Required value, "
       "subjects[0].name: Required value, subjects[2].kind: Unsupported value: \"Y\": supported "
       "values: \"ServiceAccount\", \"User\", \"Group\"]"},
      {"POST", bindings.c_str(), R"({"metadata":{"name":"b"}})", kJsonType, 422,
       "RoleBinding.rbac.authorization.k8s.io \"b\" is invalid: [roleRef.kind: Unsupported value: "
       "\"\": supported values: \"Role\", \"ClusterRole\", roleRef.name: Required value]"},
      {"POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
       R"({"metadata":{"name":"b"},"roleRef":{"kind":"Role","name":"a/b"},"subjects":[
           {"kind":"ServiceAccount","name":"a","apiGroup":"x"},
           {"kind":"Group","name":"g","apiGroup":"y"},
           {"kind":"ServiceAccount","name":"a","namespace":"n"}]})",
       kJsonType, 422,
       "ClusterRoleBinding.rbac.authorization.k8s.io \"b\" is invalid: [roleRef.kind: Unsupported "
       "value: \"Role\": supported values: \"ClusterRole\", roleRef.name: Invalid value: \"a/b\": "
       "may not contain '/', subjects[0].apiGroup: Unsupported value: \"x\": supported values: "
       "\"\", subjects[0].namespace: Required value, subjects[1].apiGroup: Unsupported value: "
       "\"y\": supported values: \"rbac.authorization.k8s.io\"]"}};
  Served served("  compat: \"1.36\"\n  cluster: {nodes: 1}\n");
  for (const Row& row : rows) {
    const Reader::Answer answer = served.Ask(row.method, row.path, row.body, row.type);
    EXPECT_EQ(answer.code, row.code) << row.body;
    EXPECT_EQ(Json(answer.body).Get("message").AsString(), row.message);
  }
  const value::Value made =
      Json(served
               .Ask("POST", bindings,
                    R"({"metadata":{"name":"b"},"roleRef":{"kind":"Role","name":"r"},"subjects":[
                   {"kind":"ServiceAccount","name":"a"},{"kind":"User","name":"u"}]})")
               .body);
  EXPECT_EQ(value::ToJson(made.Get("roleRef")),
            R"({"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"r"})");
  EXPECT_EQ(value::ToJson(made.Get("subjects")),
            R"([{"kind":"ServiceAccount","name":"a"},)"
            R"({"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"u"}])");
  const Reader::Answer other =
      served.Ask("PATCH", bindings + "/b", R"({"roleRef":{"name":"q"}})", kMergeType);
  EXPECT_EQ(other.code, 422);
  EXPECT_EQ(Json(other.body).Get("message").AsString(),
            "RoleBinding.rbac.authorization.k8s.io \"b\" is invalid: roleRef: Invalid value: "
            "{\"APIGroup\":\"rbac.authorization.k8s.io\",\"Kind\":\"Role\",\"Name\":\"q\"}: "
            "cannot change roleRef");
  EXPECT_EQ(served.Ask("PATCH", bindings + "/b", R"({"subjects":null})", kMergeType).code, 200);
}

// API-206. The validation of an update looks at finalizers, too, also where 1.36 does not validate
// the object as if it were new.
TEST(Answers, AnUpdateLooksAtTheNamesOfFinalizers) {
  for (const std::string compat : {"1.30", "1.36"}) {
    Served served("  compat: \"" + compat + "\"\n  cluster: {nodes: 1}\n");
    const std::string controllers = "/api/v1/namespaces/default/replicationcontrollers";
    served.Ask("POST", controllers,
               R"({"metadata":{"name":"e"},"spec":{"selector":{"a":"b"},"template":{"metadata":
                   {"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})");
    const Reader::Answer bad = served.Ask("PATCH", controllers + "/e",
                                          R"({"metadata":{"finalizers":["bad"]}})", kMergeType);
    EXPECT_EQ(bad.code, 422);
    EXPECT_EQ(Json(bad.body).Get("message").AsString(),
              "ReplicationController \"e\" is invalid: metadata.finalizers[0]: Invalid value: "
              "\"bad\": name is neither a standard finalizer name nor is it fully qualified");
    EXPECT_EQ(
        served
            .Ask("PATCH", controllers + "/e", R"({"metadata":{"finalizers":["a/b"]}})", kMergeType)
            .code,
        200);
  }
}

// API-204: NewGenericServerResponse has details, though there is nothing in them.
TEST(Answers, TheRoutersStatusesHaveDetails) {
  Served served;
  for (const char* path : {"/api/v1/nothings", "/api/v1/namespaces/default/pods/a/nothing"}) {
    const value::Value status = Json(served.Ask("GET", path).body);
    EXPECT_EQ(value::ToJson(status.Get("details")), "{}") << path;
  }
  EXPECT_FALSE(Json(served.Ask("POST", kConfigMaps, "{").body).Has("details"));
}

// API-201. Of a field that is given twice the last counts.
TEST(Answers, TheLastOfTwoFieldsCounts) {
  Served served;
  const value::Value map =
      Json(served.Ask("POST", kConfigMaps, R"({"metadata":{"name":"a"},"data":{"x":"1","x":"2"}})")
               .body);
  EXPECT_EQ(map.Get("data").Get("x").AsString(), "2");
}

// API-202. The wire has what Go always writes; a list that is empty is none once it is stored.
TEST(Answers, ObjectsAreWrittenAsGoWritesThem) {
  Served served;
  const std::string pod =
      R"({"metadata":{"name":"p"},"spec":{"replicas":0,"selector":{"matchLabels":
      {"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c",
      "image":"i"}]}}}})";
  const value::Value set =
      Json(served.Ask("POST", "/apis/apps/v1/namespaces/default/replicasets", pod).body);
  const value::Value& metadata = set.Get("spec").Get("template").Get("metadata");
  EXPECT_TRUE(metadata.Has("creationTimestamp"));
  EXPECT_TRUE(metadata.Get("creationTimestamp").is_null());
  const std::string roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
  const std::string role = R"({"metadata":{"name":"r"},"rules":[]})";
  EXPECT_TRUE(Json(served.Ask("POST", roles + "?dryRun=All", role).body).Get("rules").is_array());
  const value::Value stored = Json(served.Ask("POST", roles, role).body);
  EXPECT_TRUE(stored.Has("rules"));
  EXPECT_TRUE(stored.Get("rules").is_null());
}

// API-203. managedFields name a struct only where Go's empty object does not have it.
TEST(Answers, ManagersOfANewObjectOwnWhatTheEmptyObjectLacks) {
  Served served;
  const auto fields_of = [&](const std::string& path, const std::string& body) {
    const value::Value made = Json(served.Ask("POST", path, body).body);
    return value::ToJson(made.Get("metadata").Get("managedFields").at(0).Get("fieldsV1"));
  };
  EXPECT_EQ(fields_of("/apis/coordination.k8s.io/v1/namespaces/default/leases",
                      R"({"metadata":{"name":"a"},"spec":{"holderIdentity":"h"}})"),
            R"({"f:spec":{"f:holderIdentity":{}}})");
  EXPECT_EQ(fields_of("/api/v1/namespaces/default/secrets",
                      R"({"metadata":{"name":"a"},"stringData":{"x":"y"}})"),
            R"({"f:data":{".":{},"f:x":{}},"f:type":{}})");
  EXPECT_EQ(fields_of("/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
                      R"({"metadata":{"name":"a"},"roleRef":{"apiGroup":
                          "rbac.authorization.k8s.io","kind":"Role","name":"r"}})"),
            R"({"f:roleRef":{}})");
}

// API-202. A client that sends back what it was sent changes nothing, though the wire shows more
// than is stored.
TEST(Answers, WhatWasSentComesBackUnchanged) {
  Served served;
  const struct {
    const char *path, *body;
  } rows[] = {
      {"/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
       R"({"metadata":{"name":"a"},"addressType":"IPv4",
           "endpoints":[{"addresses":["10.1.2.3"]}]})"},
      {"/api/v1/namespaces/default/events",
       R"({"metadata":{"name":"a"},"involvedObject":{"namespace":"default"},"reason":"R",
           "type":"Normal"})"},
      {"/apis/apps/v1/namespaces/default/replicasets",
       R"({"metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"a":"b"}},"replicas":0,
           "template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c",
           "image":"i"}]}}}})"},
      {"/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
       R"({"metadata":{"name":"a"},"rules":[]})"},
  };
  for (const auto& row : rows) {
    served.Ask("POST", row.path, row.body);
    const std::string path = std::string(row.path) + "/a";
    const std::string got = served.Ask("GET", path).body;
    EXPECT_EQ(served.Ask("PUT", path, got).body, got) << path;
  }
}

// API-203
TEST(Answers, AnEmptyListOfManagersResetsThem) {
  Served served;
  const std::string with = R"({"metadata":{"name":"a"},"data":{"x":"1"}})";
  EXPECT_TRUE(
      Json(served.Ask("POST", kConfigMaps, with).body).Get("metadata").Has("managedFields"));
  const std::string without = R"({"metadata":{"name":"a","managedFields":[]},"data":{"x":"1"}})";
  EXPECT_FALSE(Json(served.Ask("PUT", kOneMap, without).body).Get("metadata").Has("managedFields"));
}

// API-204
TEST(Answers, TheRouterListsItsRepresentations) {
  Served served;
  Input input;
  input.connection = 1;
  input.stream = served.next++;
  input.request.method = "GET";
  input.request.target = "/api/v1/pods";
  input.request.headers.Add("Accept", "text/html, application/*");
  const auto stream = input.stream;
  served.Give(std::move(input));
  served.Advance(Seconds(1));
  const Reader::Answer answer = served.reader.answers[stream];
  EXPECT_EQ(answer.code, 406);
  EXPECT_EQ(Json(answer.body).Get("message").AsString(),
            "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, "
            "application/vnd.kubernetes.protobuf, application/json;stream=watch, "
            "application/vnd.kubernetes.protobuf;stream=watch");
}

// API-205
TEST(Answers, StorageAndNetworkKindsHaveTypes) {
  Served served;
  const Reader::Answer wrong =
      served.Ask("POST", "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
                 R"({"metadata":{"name":"i"},"spec":{"rules":"x"}})");
  EXPECT_EQ(
      Json(wrong.body).Get("message").AsString(),
      "Ingress in version \"v1\" cannot be handled as a Ingress: json: cannot unmarshal string "
      "into Go struct field IngressSpec.spec.rules of type []v1.IngressRule");
  const Reader::Answer unknown =
      served.Ask("POST", "/apis/storage.k8s.io/v1/storageclasses?fieldValidation=Strict",
                 R"({"metadata":{"name":"s"},"provisioner":"p","x":1})");
  EXPECT_EQ(unknown.code, 400) << unknown.body;
}

// dropTypeDependentFields
TEST(Answers, AServiceThatBecomesExternalLosesItsAddresses) {
  Served served;
  const std::string path = "/api/v1/namespaces/default/services";
  served.Ask("POST", path,
             R"({"metadata":{"name":"s"},"spec":{"clusterIP":"None","ports":[{"port":80}]}})");
  const Reader::Answer answer =
      served.Ask("PATCH", path + "/s",
                 R"({"spec":{"type":"ExternalName","externalName":"example.com"}})", kMergeType);
  EXPECT_EQ(answer.code, 200) << answer.body;
  EXPECT_FALSE(Json(answer.body).Get("spec").Has("clusterIPs"));
}

// API-205
TEST(Answers, VolumesAndNetworkPoliciesHaveTheirDefaults) {
  Served served;
  const value::Value volume =
      Json(served
               .Ask("POST", "/api/v1/persistentvolumes",
                    R"({"metadata":{"name":"v"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":
                   ["ReadWriteOnce"],"hostPath":{"path":"/x"}}})")
               .body);
  EXPECT_EQ(volume.Get("spec").Get("persistentVolumeReclaimPolicy").AsString(), "Retain");
  EXPECT_EQ(volume.Get("spec").Get("volumeMode").AsString(), "Filesystem");
  EXPECT_TRUE(volume.Get("spec").Get("hostPath").Get("type").is_string());
  const value::Value storage = Json(served
                                        .Ask("POST", "/apis/storage.k8s.io/v1/storageclasses",
                                             R"({"metadata":{"name":"s"},"provisioner":"p"})")
                                        .body);
  EXPECT_EQ(storage.Get("reclaimPolicy").AsString(), "Delete");
  EXPECT_EQ(storage.Get("volumeBindingMode").AsString(), "Immediate");
  const value::Value policy =
      Json(served
               .Ask("POST", "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
                    R"({"metadata":{"name":"n"},"spec":{"podSelector":{},"egress":[{"ports":
                        [{"port":80}]}]}})")
               .body);
  EXPECT_EQ(value::ToJson(policy.Get("spec").Get("policyTypes")), R"(["Ingress","Egress"])");
  EXPECT_EQ(policy.Get("spec").Get("egress").at(0).Get("ports").at(0).Get("protocol").AsString(),
            "TCP");
}

}  // namespace
}  // namespace ksim::serve
