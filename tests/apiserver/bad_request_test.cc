// The answers to bad requests: the whole Status as JSON, in each profile.
#include <gtest/gtest.h>

#include <set>

#include "ksim/value/json.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Compat;
using api::Verb;
using value::Value;

struct BadRequestRow {
  const char* what;
  api::Request (*make)(const World&);
  const char* json;
};

api::Request List(const World& world, api::ListOptions options) {
  api::Request r = world.Request(Verb::kList, "configmaps", "default", "");
  r.list = std::move(options);
  return r;
}

api::Request Create(const World& world, std::string_view json, std::string_view validation = "") {
  api::Request r = world.Request(Verb::kCreate, "configmaps", "default", "");
  r.body = Json(json);
  r.field_validation = validation;
  return r;
}

const BadRequestRow kRows[] = {
    {"an unparsable resource version",
     [](const World& w) { return List(w, Options("seven", "", 1)); },
     R"({"apiVersion":"v1","code":400,"kind":"Status","message":"invalid resource version: )"
     R"(resourceVersion: Invalid value: \"seven\": strconv.ParseUint: parsing \"seven\": )"
     R"(invalid syntax","metadata":{},)"
     R"("reason":"BadRequest","status":"Failure"})"},
    {"a match without a version", [](const World& w) { return List(w, Options("", "Exact")); },
     R"({"apiVersion":"v1","code":422,"details":{"causes":[{"field":"resourceVersionMatch",)"
     R"("message":"Forbidden: resourceVersionMatch is forbidden unless resourceVersion is )"
     R"(provided","reason":"FieldValueForbidden"}],"group":"meta.k8s.io","kind":"ListOptions"},)"
     R"("kind":"Status","message":"ListOptions.meta.k8s.io \"\" is invalid: )"
     R"(resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless )"
     R"(resourceVersion is provided","metadata":{},"reason":"Invalid","status":"Failure"})"},
    {"an unknown field under Strict",
     [](const World& w) {
       return Create(w, R"({"metadata":{"name":"m"},"dta":{"k":"v"}})", "Strict");
     },
     R"({"apiVersion":"v1","code":400,"kind":"Status","message":"ConfigMap in version \"v1\" )"
     R"(cannot be handled as a ConfigMap: strict decoding error: unknown field \"dta\"",)"
     R"("metadata":{},"reason":"BadRequest","status":"Failure"})"},
    {"an unknown field selector",
     [](const World& w) {
       api::ListOptions options;
       options.field_selector = "spec.size=1";
       return List(w, options);
     },
     R"({"apiVersion":"v1","code":400,"kind":"Status","message":"\"spec.size\" is not a known )"
     R"(field selector: only \"metadata.name\", \"metadata.namespace\"","metadata":{},)"
     R"("reason":"BadRequest","status":"Failure"})"},
    {"an object of another namespace",
     [](const World& w) { return Create(w, R"({"metadata":{"name":"m","namespace":"other"}})"); },
     R"({"apiVersion":"v1","code":400,"kind":"Status","message":"the namespace of the provided )"
     R"(object does not match the namespace sent on the request","metadata":{},)"
     R"("reason":"BadRequest","status":"Failure"})"},
    {"no name", [](const World& w) { return Create(w, R"({"metadata":{}})"); },
     R"({"apiVersion":"v1","code":422,"details":{"causes":[{"field":"metadata.name",)"
     R"("message":"Required value: name or generateName is required",)"
     R"("reason":"FieldValueRequired"}],"kind":"ConfigMap"},"kind":"Status",)"
     R"("message":"ConfigMap \"\" is invalid: metadata.name: Required value: name or )"
     R"(generateName is required","metadata":{},"reason":"Invalid","status":"Failure"})"},
};

// API-05
// API-21
// API-38
// API-57
// API-62
// API-94
TEST(BadRequests, AreAnsweredWithTheStatusOfARealOne) {
  for (const Compat compat : {Compat::k1_25, Compat::k1_30, Compat::k1_36}) {
    World world{WorldOptions(compat)};
    const std::int64_t before = world.revision();
    for (const BadRequestRow& row : kRows) {
      const api::Response r = world.Do(row.make(world));
      EXPECT_EQ(value::ToJson(r.status.ToTree()), row.json)
          << row.what << " in " << api::ToString(compat);
      EXPECT_EQ(r.code, r.status.code);
    }
    EXPECT_EQ(world.revision(), before) << "nothing was written";
  }
}

// API-23
TEST(BadRequests, ABodyOfMoreThanThreeMebibytesIsTooLarge) {
  World world;
  const auto map = [](std::size_t size) {
    return ConfigMap("default", "big", std::string(size, 'x'));
  };
  const api::Response r = world.Create("configmaps", "default", map(3 << 20));
  EXPECT_EQ(value::ToJson(r.status.ToTree()),
            R"({"apiVersion":"v1","code":413,"kind":"Status","message":"Request entity too large: )"
            R"(limit is 3145728","metadata":{},"reason":"RequestEntityTooLarge",)"
            R"("status":"Failure"})");
  const std::int64_t rest = static_cast<std::int64_t>(value::ToJson(map(0)).size());
  EXPECT_EQ(
      world.Create("configmaps", "default", map(static_cast<std::size_t>((3 << 20) - rest + 1)))
          .code,
      413)
      << "one byte too many";
  EXPECT_NE(
      world.Create("configmaps", "default", map(static_cast<std::size_t>((3 << 20) - rest - 64)))
          .code,
      413);
}

// Requests that lead to each reason of a cause that ksim's server gives. Three of upstream's
// reasons are missing, since no kind that ksim serves has such a validation: FieldValueTooMany,
// FieldValueTypeInvalid and UnexpectedServerResponse.
// API-24
TEST(BadRequests, CausesSayWhatIsWrongInKubernetesWords) {
  World world;
  std::set<std::string> reasons;
  const auto gather = [&](const api::Response& r) {
    for (const api::StatusCause& c : r.status.details->causes) reasons.insert(c.reason);
  };
  const auto create = [&](std::string_view json) {
    const Value pod = Json(json);
    gather(world.Create("pods", "default", pod));
  };
  create(R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c"},{"name":"c",
    "image":"i","volumeMounts":[{"name":"none","mountPath":"/x"}]}],"restartPolicy":"Maybe"}})");
  create(R"({"metadata":{"name":"UP"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  create(R"({"metadata":{"name":"p","labels":{"a":")" + std::string(64, 'x') +
         R"("},"annotations":{"a":")" + std::string(300'000, 'x') +
         R"("}},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  gather(world.Do(List(world, Options("", "Exact"))));
  api::ListOptions future = Options("1000000", "NotOlderThan");
  gather(world.Do(List(world, future)));
  ASSERT_EQ(world
                .Create("namespaces", "",
                        Json(R"({"metadata":{"name":"old"},"spec":{"finalizers":["kubernetes"]}})"))
                .code,
            201);
  world.Delete("namespaces", "", "old");
  gather(world.Create("configmaps", "old", ConfigMap("old", "m")));
  api::Request apply = world.Request(Verb::kPatch, "configmaps", "default", "m");
  apply.patch_type = api::PatchType::kApply;
  for (const char* manager : {"a", "b"}) {
    apply.field_manager = manager;
    apply.body = Json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},
      "data":{"k":")" +
                      std::string(manager) + R"("}})");
    gather(world.Do(apply));
  }
  for (const char* reason :
       {"FieldValueNotFound", "FieldValueRequired", "FieldValueDuplicate", "FieldValueInvalid",
        "FieldValueNotSupported", "FieldValueForbidden", "FieldValueTooLong",
        "FieldManagerConflict", "ResourceVersionTooLarge", "NamespaceTerminating"})
    EXPECT_EQ(reasons.count(reason), 1u) << reason;
  EXPECT_EQ(reasons.size(), 10u);
}

}  // namespace
}  // namespace ksim::apiserver
