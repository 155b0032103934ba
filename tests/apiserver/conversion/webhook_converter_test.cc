// Custom resources whose versions a webhook converts: size at v1 is measure.size at v2; v1 is
// stored.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/value/json.h"
#include "tests/apiserver/admission/webhook/fake_webhook.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using value::Obj;
using value::Path;
using value::Value;

constexpr const char* kV1 = "toys.v1.example.com";
constexpr const char* kV2 = "toys.v2.example.com";
const Path kSize{"spec", "size"}, kMeasure{"spec", "measure", "size"};

Value ToyDefinition(std::string_view client) {
  const std::string v1 = R"({"size":{"type":"integer"}})";
  const std::string v2 =
      R"({"measure":{"type":"object","properties":{"size":{"type":"integer"}}}})";
  const auto version = [](const char* name, const char* stored, const std::string& properties) {
    return std::string(R"({"name":")") + name + R"(","served":true,"storage":)" + stored +
           R"(,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":)" +
           R"({"type":"object","properties":)" + properties + "}}}}}";
  };
  return Json(R"({"metadata":{"name":"toys.example.com"},"spec":{"group":"example.com",)"
              R"("scope":"Namespaced","names":{"plural":"toys","kind":"Toy"},"conversion":)"
              R"({"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],)"
              R"("clientConfig":)" +
              std::string(client) + R"(}},"versions":[)" + version("v1", "true", v1) + "," +
              version("v2", "false", v2) + "]}}");
}

Value ToyOf(const std::string& name, const char* version, int size) {
  const Value toy =
      Json(R"({"apiVersion":"example.com/)" + std::string(version) +
           R"(","kind":"Toy","metadata":{"name":")" + name + R"(","namespace":"default"}})");
  return toy.Set(std::string_view(version) == "v1" ? kSize : kMeasure, Value::Of(size));
}

// The webhook itself.
Value ConvertedTo(const Value& object, const std::string& desired) {
  Value out = object.Set("apiVersion", Value::Of(desired));
  const bool to_v2 = desired.ends_with("/v2");
  const Value size = object.Get(to_v2 ? kSize : kMeasure);
  out = out.Erase("spec");
  return size.is_null() ? out : out.Set(to_v2 ? kMeasure : kSize, size);
}

WebhookAnswer AnswerByConverting(const WebhookRequest& request) {
  const Value asked = Json(request.body).Get("request");
  std::vector<Value> converted;
  for (const Value& object : asked.Get("objects").items())
    converted.push_back(
        ConvertedTo(object, std::string(asked.Get("desiredAPIVersion").AsString())));
  return WebhookAnswer(value::ToJson(
      Obj({{"apiVersion", Value::Of("apiextensions.k8s.io/v1")},
           {"kind", Value::Of("ConversionReview")},
           {"response", Obj({{"uid", asked.Get("uid")},
                             {"convertedObjects", Value::Array(std::move(converted))},
                             {"result", Obj({{"status", Value::Of("Success")}})}})}})));
}

class Conversion : public ::testing::TestWithParam<api::Compat> {
 protected:
  Conversion() : world(WorldOptions(GetParam())) { world.hooks.answer = AnswerByConverting; }
  void Define(std::string_view client =
                  R"({"service":{"name":"hooks","namespace":"default","path":"/convert"}})") {
    const api::Response made = world.Create("customresourcedefinitions", "", ToyDefinition(client));
    ASSERT_EQ(made.code, 201) << made.status.message;
    world.Advance(Seconds(1));
  }
  // The object in etcd.
  Value Stored(const std::string& name) {
    return world.store()
        .Range(store::RangeRequest("/registry/example.com/toys/default/" + name))
        ->kvs.front()
        .value();
  }
  WebhookWorld world;
};
INSTANTIATE_TEST_SUITE_P(Profiles, Conversion, ::testing::ValuesIn(kProfiles),
                         [](const auto& info) {
                           std::string name(api::ToString(info.param));
                           name[1] = '_';
                           return name;
                         });

// CRD-16
TEST_P(Conversion, EachVersionShowsWhatAnotherHasWritten) {
  Define();
  const api::Response made = world.Create(kV2, "default", ToyOf("a", "v2", 3));
  ASSERT_EQ(made.code, 201) << made.status.message;
  EXPECT_EQ(made.object.tree().Get(kMeasure).AsInt(), 3);
  EXPECT_EQ(Stored("a").Get("apiVersion").AsString(), "example.com/v1");
  EXPECT_EQ(Stored("a").Get(kSize).AsInt(), 3);
  EXPECT_EQ(world.Get(kV1, "default", "a").object.tree().Get(kSize).AsInt(), 3);
  EXPECT_EQ(world.Create(kV1, "default", ToyOf("b", "v1", 4)).code, 201);
  const api::Response read = world.Get(kV2, "default", "b");
  EXPECT_EQ(read.object.tree().Get(kMeasure).AsInt(), 4);
  EXPECT_EQ(read.object.tree().Get("apiVersion").AsString(), "example.com/v2");
  EXPECT_FALSE(read.object.tree().Get("spec").Has("size"));
  const api::Response all = world.List(kV2, "default");
  ASSERT_EQ(all.items.size(), 2u) << all.status.message;
  for (const api::Object& one : all.items) EXPECT_TRUE(one.tree().Get(kMeasure).is_int());
}

// CRD-16
TEST_P(Conversion, WritesAtAnotherVersionChangeWhatIsStored) {
  Define();
  world.Create(kV1, "default", ToyOf("a", "v1", 1));
  const api::Response patched = world.Patch(kV2, "default", "a", api::PatchType::kMerge,
                                            R"({"spec":{"measure":{"size":7}}})");
  ASSERT_EQ(patched.code, 200) << patched.status.message;
  EXPECT_EQ(patched.object.tree().Get(kMeasure).AsInt(), 7);
  EXPECT_EQ(Stored("a").Get(kSize).AsInt(), 7);
  Value changed = world.Get(kV2, "default", "a").object.ToTree().Set(kMeasure, Value::Of(8));
  EXPECT_EQ(world.Update(kV2, changed).code, 200);
  EXPECT_EQ(Stored("a").Get(kSize).AsInt(), 8);
  // A write that changes nothing is none.
  const std::int64_t before = world.revision();
  EXPECT_EQ(world.Patch(kV2, "default", "a", api::PatchType::kMerge, "{}").code, 200);
  EXPECT_EQ(world.revision(), before);
  EXPECT_EQ(world.Delete(kV2, "default", "a").code, 200);
  EXPECT_EQ(world.Get(kV1, "default", "a").code, 404);
}

// CRD-16, CRD-24
TEST_P(Conversion, AWatchShowsItsVersion) {
  Define();
  world.Create(kV1, "default", ToyOf("a", "v1", 1));
  world.Advance(Seconds(1));
  const auto watch = world.Watch(kV2, "default", Options("0"));
  world.Advance(Seconds(1));
  ASSERT_FALSE(watch->seen.empty());
  EXPECT_EQ(watch->last().object.tree().Get(kMeasure).AsInt(), 1);
  world.Patch(kV1, "default", "a", api::PatchType::kMerge, R"({"spec":{"size":2}})");
  world.Advance(Seconds(1));
  EXPECT_EQ(watch->last().object.tree().Get(kMeasure).AsInt(), 2);
  world.Delete(kV1, "default", "a");
  world.Advance(Seconds(1));
  EXPECT_EQ(watch->last().type, api::WatchEventType::kDeleted);
  EXPECT_EQ(watch->last().object.tree().Get(kMeasure).AsInt(), 2);
  // Each object alone, without its resource version.
  for (const Value& review : world.hooks.reviews) {
    const Value& asked = review.Get("request");
    EXPECT_EQ(asked.Get("objects").size(), 1u);
    EXPECT_FALSE(asked.Get("objects").at(0).Get("metadata").Has("resourceVersion"));
    EXPECT_NE(asked.Get("objects").at(0).Get("apiVersion"), asked.Get("desiredAPIVersion"));
  }
  EXPECT_EQ(world.hooks.requests.front().path, "/convert?timeout=30s");
}

// CRD-16: objects that have the version already are not sent.
TEST_P(Conversion, TheStoredVersionAsksNobody) {
  Define(R"({"url":"https://nowhere.example.com/convert"})");
  EXPECT_EQ(world.Create(kV1, "default", ToyOf("a", "v1", 1)).code, 201);
  EXPECT_EQ(world.Get(kV1, "default", "a").code, 200);
  EXPECT_EQ(world.List(kV1, "default").items.size(), 1u);
  EXPECT_EQ(world.Delete(kV1, "default", "a").code, 200);
}

// CRD-24
TEST_P(Conversion, AWebhookThatFailsIsAnError) {
  Define(R"({"service":{"name":"none","namespace":"default"}})");
  EXPECT_EQ(world.List(kV2, "default", Options("0")).items.size(), 0u);
  world.Advance(Seconds(1));  // the caches begin, and are filled
  world.Create(kV1, "default", ToyOf("a", "v1", 1));
  const auto failed = [](const char* version) {
    return "conversion webhook for example.com/" + std::string(version) +
           ", Kind=Toy failed: Post \"https://none.default.svc:443/?timeout=30s\": service "
           "\"none\" not found";
  };
  const api::Response read = world.Get(kV2, "default", "a");
  EXPECT_EQ(read.code, 500);
  EXPECT_EQ(read.status.reason, "");
  EXPECT_EQ(read.status.message.str(), failed("v1"));
  EXPECT_EQ(world.Create(kV2, "default", ToyOf("b", "v2", 1)).status.message.str(), failed("v2"));
  EXPECT_EQ(world.List(kV2, "default").status.message.str(), failed("v1"));
  EXPECT_EQ(world.Delete(kV2, "default", "a").status.message.str(), failed("v1"));
}

// CRD-24
TEST_P(Conversion, AWebhookHasThirtySeconds) {
  Define();
  world.Create(kV1, "default", ToyOf("a", "v1", 1));
  world.hooks.takes = Seconds(31);
  const VirtualTime begun = world.sim.now();
  const api::Response late = world.Get(kV2, "default", "a");
  EXPECT_EQ(late.status.message.str(),
            "conversion webhook for example.com/v1, Kind=Toy failed: Post "
            "\"https://hooks.default.svc:443/convert?timeout=30s\": context deadline exceeded");
  EXPECT_GE(world.sim.now() - begun, Seconds(30));
  world.hooks.takes = Seconds(5);
  EXPECT_EQ(world.Get(kV2, "default", "a").code, 200);
}

// CRD-25
TEST_P(Conversion, ACacheIsFilledOnceTheWebhookIsThere) {
  Define();
  world.hooks.listens = false;
  world.Create(kV1, "default", ToyOf("a", "v1", 1));
  world.Advance(Seconds(45));
  world.hooks.listens = true;
  world.Advance(Seconds(5));
  const auto watch = world.Watch(kV2, "default", Options("0"));
  world.Advance(Seconds(2));
  ASSERT_FALSE(watch->seen.empty());
  EXPECT_EQ(watch->last().object.tree().Get(kMeasure).AsInt(), 1);
}

// CRD-25: the caches of all versions begin at the first request for the kind.
TEST_P(Conversion, EachVersionsCacheAsksAboutEachObject) {
  Define();
  world.Create(kV1, "default", ToyOf("a", "v1", 1));
  world.Advance(Seconds(1));
  EXPECT_EQ(world.hooks.reviews.size(), 1u) << "the cache of v2";
}

// CRD-26
TEST_P(Conversion, AdmissionSeesTheVersionThatItsRulesName) {
  Define();
  world.directory.servers["https://judge.example.com/"] = nullptr;
  FakeWebhook judge(world.sim, "judge");
  world.directory.servers["https://judge.example.com/"] = &judge;
  world.Mutating(R"({"clientConfig":{"url":"https://judge.example.com/"},"rules":)"
                 R"([{"operations":["CREATE"],"apiGroups":["example.com"],"apiVersions":["v2"],)"
                 R"("resources":["toys"]}]})");
  judge.judge = [](const Value&) {
    return Patching(R"([{"op":"replace","path":"/spec/measure/size","value":9}])");
  };
  const api::Response made = world.Create(kV1, "default", ToyOf("a", "v1", 1));
  ASSERT_EQ(made.code, 201) << made.status.message;
  EXPECT_EQ(made.object.tree().Get(kSize).AsInt(), 9);
  ASSERT_EQ(judge.reviews.size(), 1u);
  const Value& seen = judge.reviews.front().Get("request").Get("object");
  EXPECT_EQ(seen.Get("apiVersion").AsString(), "example.com/v2");
  EXPECT_EQ(seen.Get(kMeasure).AsInt(), 1);
  world.hooks.listens = false;
  const api::Response refused = world.Create(kV1, "default", ToyOf("b", "v1", 1));
  EXPECT_EQ(refused.code, 500);
  EXPECT_TRUE(refused.status.message.str().starts_with(
      "Internal error occurred: conversion webhook for example.com/v1, Kind=Toy failed: Post "))
      << refused.status.message;
}

}  // namespace
}  // namespace ksim::apiserver
