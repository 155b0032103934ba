// Mutating webhooks: what their patches do, and when they are asked once more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/apiserver/admission/webhook/fake_webhook.h"

namespace ksim::apiserver {
namespace {

using ::testing::ElementsAre;
using value::Obj;
using value::Path;
using value::Value;

// API-215
TEST(MutatingWebhooks, APatchChangesTheObject) {
  WebhookWorld world;
  world.Mutating("{}");
  world.hooks.judge = [](const Value&) {
    return Patching(R"([{"op":"add","path":"/metadata/labels","value":{"l":"1"}},
                        {"op":"add","path":"/data/added","value":"y"}])");
  };
  const api::Response made = world.CreateMap("a");
  EXPECT_EQ(made.code, 201) << made.status.message;
  EXPECT_EQ(made.object.tree().Get("data"), Json(R"({"k":"x","added":"y"})"));
  EXPECT_EQ(made.object.tree().Get("metadata").Get("labels"), Json(R"({"l":"1"})"));
}

// API-215: the object is read as Go reads it: defaults fill in, unknown fields are dropped.
TEST(MutatingWebhooks, WhatAPatchAddsIsDecodedAndDefaulted) {
  WebhookWorld world;
  world.Mutating(R"({"rules":[{"operations":["CREATE"],"apiGroups":[""],"apiVersions":["v1"],
                     "resources":["pods"]}]})");
  world.hooks.judge = [](const Value&) {
    return Patching(R"([{"op":"add","path":"/spec/containers/-",
        "value":{"name":"side","image":"s:1","nonsense":true,"ports":[{"containerPort":1}]}}])");
  };
  const api::Response made = world.Create("pods", "default", Pod("default", "p"));
  ASSERT_EQ(made.code, 201) << made.status.message;
  const Value& side = made.object.spec().Get("containers").at(1);
  EXPECT_FALSE(side.Has("nonsense"));
  EXPECT_EQ(side.Get("ports").at(0).Get("protocol").AsString(), "TCP");
  EXPECT_EQ(side.Get("terminationMessagePath").AsString(), "/dev/termination-log");
  // In-tree plugins run again, as for what a client sends.
  EXPECT_EQ(side.Get("volumeMounts").size(), 1u) << "the token is mounted in the new container";
}

// API-215: a webhook that changes nothing leaves the object as it would be without it.
TEST(MutatingWebhooks, AnEmptyPatchLeavesEveryFieldAsItIs) {
  const Value pod = Pod("default", "p");
  WebhookWorld plain, hooked;
  hooked.Mutating("{}");
  hooked.hooks.judge = [](const Value&) {
    return Patching(R"([{"op":"add","path":"/metadata/annotations","value":{"a":"b"}}])");
  };
  const Value without = plain.Create("pods", "default", pod).object.spec();
  const Value with = hooked.Create("pods", "default", pod).object.spec();
  const Path kVolumes{"volumes"};
  EXPECT_EQ(with.Erase(kVolumes).Get("containers").at(0).Get("image"),
            without.Erase(kVolumes).Get("containers").at(0).Get("image"));
  EXPECT_EQ(with.Get("containers").at(0).Has("resources"),
            without.Get("containers").at(0).Has("resources"));
  EXPECT_EQ(with.Get("tolerations"), without.Get("tolerations"));
}

// API-215
TEST(MutatingWebhooks, EachSeesWhatThoseBeforeHaveMade) {
  WebhookWorld world;
  world.Mutating(R"({"name":"z.b.c"})", "b");
  world.Mutating(R"({"name":"y.b.c"},{"name":"x.b.c"})", "a");
  std::vector<std::string> seen;
  world.hooks.judge = [&](const Value& asked) {
    const Value& data = asked.Get("object").Get("data");
    seen.push_back(std::to_string(data.size()));
    return Patching(R"([{"op":"add","path":"/data/n)" + std::to_string(data.size()) +
                    R"(","value":"v"}])");
  };
  const api::Response made = world.CreateMap("m");
  EXPECT_EQ(made.code, 201) << made.status.message;
  EXPECT_THAT(seen, ElementsAre("1", "2", "3"));
  EXPECT_EQ(made.object.tree().Get("data").size(), 4u);
}

// API-215
TEST(MutatingWebhooks, BadPatchesEndTheRequest) {
  const struct {
    const char* patch;
    const char* message;
  } kCases[] = {
      {R"([{"op":"remove","path":"/data/none"}])",
       "Internal error occurred: error in remove for path: '/data/none': Unable to remove "
       "nonexistent key: none: missing value"},
      {R"([{"op":"replace","path":"/data","value":7}])",
       "Internal error occurred: json: cannot unmarshal number into Go struct field "
       "ConfigMap.data of type map[string]string"},
  };
  for (const auto& c : kCases) {
    WebhookWorld world;
    world.Mutating(R"({"failurePolicy":"Ignore"})");
    world.hooks.judge = [&](const Value&) { return Patching(c.patch); };
    const api::Response r = world.CreateMap("a");
    EXPECT_EQ(r.code, 500);
    EXPECT_EQ(r.status.message, c.message);
  }
}

// API-215
TEST(MutatingWebhooks, AnUnreadablePatchFailsTheCallFrom136On) {
  for (const api::Compat compat : {api::Compat::k1_30, api::Compat::k1_36}) {
    WebhookWorld world{WorldOptions(compat)};
    world.Mutating(R"({"failurePolicy":"Ignore"})");
    world.hooks.judge = [](const Value&) { return Patching("no JSON"); };
    EXPECT_EQ(world.CreateMap("a").code, compat == api::Compat::k1_36 ? 201 : 500);
  }
}

// API-215
TEST(MutatingWebhooks, ADeletionCannotBeChanged) {
  WebhookWorld world;
  world.CreateMap("a");
  world.Mutating("{}");
  world.hooks.judge = [](const Value&) {
    return Patching(R"([{"op":"add","path":"/metadata/labels","value":{}}])");
  };
  const api::Response r = world.Delete("configmaps", "default", "a");
  EXPECT_EQ(r.code, 500);
  EXPECT_EQ(r.status.message,
            "Internal error occurred: admission webhook \"a.b.c\" attempted to modify the object, "
            "which is not supported for this operation");
}

// API-216
TEST(MutatingWebhooks, AreAskedOnceMoreIfALaterOneChangesTheObject) {
  for (const bool wanted : {true, false}) {
    WebhookWorld world;
    const std::string policy = wanted ? "IfNeeded" : "Never";
    world.Mutating(R"({"name":"first.b.c","reinvocationPolicy":")" + policy + R"(",
        "clientConfig":{"service":{"name":"hooks","namespace":"default","path":"/first"}}},
        {"name":"last.b.c"})");
    std::vector<std::string> paths;
    world.hooks.answer = nullptr;
    world.hooks.judge = [&](const Value& asked) {
      paths.push_back(world.hooks.requests.back().path);
      if (!asked.Get("object").Get("data").Has("late") && paths.size() == 2)
        return Patching(R"([{"op":"add","path":"/data/late","value":"1"}])");
      return Obj({{"allowed", Value::Of(true)}});
    };
    EXPECT_EQ(world.CreateMap("a").code, 201);
    if (wanted) {
      EXPECT_THAT(paths,
                  ElementsAre("/first?timeout=10s", "/judge?timeout=10s", "/first?timeout=10s"));
      EXPECT_TRUE(world.last_request().Get("object").Get("data").Has("late"));
    } else {
      EXPECT_EQ(paths.size(), 2u);
    }
  }
}

// API-216: the plugins of the server itself run once more as well, and what they change calls the
// webhooks that want it.
TEST(MutatingWebhooks, InTreePluginsRunOnceMore) {
  WebhookWorld world;
  world.Mutating(R"({"reinvocationPolicy":"IfNeeded","rules":[{"operations":["CREATE"],
                     "apiGroups":[""],"apiVersions":["v1"],"resources":["pods"]}]})");
  std::size_t calls = 0;
  world.hooks.judge = [&](const Value&) {
    if (++calls > 1) return Obj({{"allowed", Value::Of(true)}});
    return Patching(R"([{"op":"add","path":"/spec/containers/-",
                         "value":{"name":"side","image":"s"}}])");
  };
  EXPECT_EQ(world.Create("pods", "default", Pod("default", "p")).code, 201);
  EXPECT_EQ(calls, 2u);
  const Value& side = world.last_request().Get("object").Get("spec").Get("containers").at(1);
  EXPECT_EQ(side.Get("volumeMounts").size(), 1u);
}

}  // namespace
}  // namespace ksim::apiserver
