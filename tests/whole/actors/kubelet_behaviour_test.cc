// The kubelet and what images and programs are like: names, users and sizes of images, programs
// that end by themselves or for their memory, and hooks.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ksim/api/rules/pod/image_reference.h"
#include "ksim/kubelet/runtime/payloads.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::HasSubstr;

class KubeletBehaviour : public testing::TestWithParam<api::Compat> {
 public:
  KubeletBehaviour() : w(GetParam()) { w.StartKubelet("n1"); }

  // `annotations` are the fields of a mapping, `containers` the items of a list.
  void CreatePod(const std::string& annotations, const std::string& containers,
                 const std::string& more = "") {
    w.Create("pods", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","annotations":{)" +
                         annotations + R"(}},"spec":{"nodeName":"n1","containers":[)" + containers +
                         "]" + more + "}}");
  }
  value::Value Status() { return w.Get("pods", "p").status(); }
  value::Value State() { return Status().Get("containerStatuses").at(0).Get("state"); }
  void UseImages(std::vector<kubelet::ImageSpec> images) {
    w.machine().UseImages(std::make_shared<const kubelet::ImageCatalog>(std::move(images)));
  }
  // When each container was killed, in seconds after the first of these calls began.
  std::map<std::string, std::int64_t> Kills(VirtualTime since) {
    std::map<std::string, std::int64_t> out;
    for (const sim::Event& e : w.events()) {
      if (e.kind != sim::EventKind::kRuntime) continue;
      const auto& p = e.payload.As<kubelet::RuntimePayload>();
      if (p.action == "kill") out[p.container] = (e.time - since).ns() / Seconds(1).ns();
    }
    return out;
  }

  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, KubeletBehaviour, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// KUBELET-IMG-01
TEST(ImageName, WhatIsNoneIsToldInTheWordsOfTheLibrary) {
  for (const char* good : {"nginx", "nginx:1.25", "library/nginx", "docker.io/library/nginx:latest",
                           "localhost/a", "my.registry:5000/a/b_c/d--e.f:v1_2.3-x",
                           "a@sha256:"
                           "0123456789abcdef0123456789abcdef0123456789abcdef"
                           "0123456789abcdef",
                           "MyHost/a"})
    EXPECT_EQ(api::ImageNameProblem(good, true), "") << good;
  const std::string format = "invalid reference format";
  const struct {
    const char* name;
    std::string problem;
  } rows[] = {
      {"Nginx", format + ": repository name (library/Nginx) must be lowercase"},
      {"a/Nginx:1", format + ": repository name (a/Nginx) must be lowercase"},
      {"nginx:", format},
      {"nginx:a b", format},
      {"nginx@sha256:12", format},
      {":1", format},
      {"a//b", format},
      {"a_-b", format},
      {"host.example:x/a", format},
  };
  for (const auto& row : rows)
    EXPECT_EQ(api::ImageNameProblem(row.name, true),
              fmt::format("couldn't parse image name \"{}\": {}", row.name, row.problem));
  EXPECT_EQ(api::ImageNameProblem("Nginx", false),
            "couldn't parse image name: " + format + ": repository name must be lowercase");
}

// KUBELET-IMG-01
TEST_P(KubeletBehaviour, AContainerWhoseImageHasNoNameWaits) {
  CreatePod("", R"({"name":"c","image":"Web:1"})");
  w.Advance(Seconds(10));
  EXPECT_EQ(State().Get("waiting").Get("reason").AsString(), "InvalidImageName");
  const std::string message(State().Get("waiting").Get("message").AsString());
  EXPECT_THAT(message, HasSubstr("Failed to apply default image tag \"Web:1\": couldn't parse "));
  const auto texts = w.EventTexts();
  EXPECT_THAT(texts, Contains("Warning InspectFailed " + message));
  EXPECT_THAT(texts, Contains("Warning Failed Error: InvalidImageName"));
}

// KUBELET-IMG-02
TEST_P(KubeletBehaviour, AnImageIsAsItIsDescribedAndHasOneName) {
  kubelet::ImageSpec web, there;
  web.name = "web";
  web.user = "1000:1000";
  web.digest = "sha256:" + std::string(64, 'a');
  web.bytes = 1234567;
  web.pull = Seconds(7);
  there.name = "docker.io/library/there:latest";
  there.present = true;
  there.user = "nobody";
  UseImages({web, there});
  CreatePod(
      "", R"({"name":"c","image":"web:2"},{"name":"d","image":"there","imagePullPolicy":"Never"})");
  w.Advance(Seconds(6));
  EXPECT_EQ(Status().Get("phase").AsString(), "Pending");
  w.Advance(Seconds(10));
  EXPECT_EQ(Status().Get("phase").AsString(), "Running");
  EXPECT_EQ(Status().Get("containerStatuses").at(0).Get("imageID").AsString(),
            "docker.io/library/web@" + web.digest);
  if (GetParam() != api::Compat::k1_25) {
    EXPECT_THAT(w.EventTexts(), Contains(HasSubstr("Image size: 1234567 bytes.")));
  }
}

// KUBELET-SEC-01
TEST_P(KubeletBehaviour, TheUserOfTheImageDecidesWhereNobodyElseDoes) {
  const struct {
    const char *user, *problem;
  } rows[] = {
      {"1000:0", ""},
      {"0", "image will run as root"},
      {"0:1000", "image will run as root"},
      {"nobody", "image has non-numeric user (nobody), cannot verify user is non-root"},
      {"", "image will run as root"},
  };
  for (const auto& row : rows) {
    kubelet::ImageSpec web;
    web.name = "web";
    web.user = row.user;
    UseImages({web});
    CreatePod("", R"({"name":"c","image":"web:1","securityContext":{"runAsNonRoot":true}})");
    w.Advance(Seconds(10));
    if (*row.problem == 0) {
      EXPECT_EQ(Status().Get("phase").AsString(), "Running") << row.user;
    } else {
      EXPECT_THAT(std::string(State().Get("waiting").Get("message").AsString()),
                  HasSubstr(row.problem))
          << row.user;
    }
    w.Delete("pods", "p", Grace(0));
    w.Advance(Seconds(10));
  }
}

// KUBELET-IMG-02
TEST_P(KubeletBehaviour, AnImageThatIsMissingIsNotPulledAndOneThatEndsEnds) {
  kubelet::ImageSpec gone, job;
  gone.name = "gone";
  gone.missing = true;
  job.name = "job";
  job.exit = "3 after 1s";
  UseImages({gone, job});
  CreatePod("", R"({"name":"c","image":"gone:1"},{"name":"d","image":"job:1"})",
            R"(,"restartPolicy":"Never")");
  w.Advance(Seconds(20));
  EXPECT_THAT((std::set<std::string>{"ErrImagePull", "ImagePullBackOff"}),
              Contains(std::string(State().Get("waiting").Get("reason").AsString())));
  const value::Value ended = Status().Get("containerStatuses").at(1).Get("state").Get("terminated");
  EXPECT_EQ(ended.Get("exitCode").AsInt(), 3);
}

// KUBELET-40
TEST_P(KubeletBehaviour, AContainerIsKilledForItsMemory) {
  CreatePod(R"("exit.ksim.dev/c":"oom after 2s, runs")", R"({"name":"c","image":"web:1"})");
  w.Advance(Seconds(20));
  const value::Value status = Status().Get("containerStatuses").at(0);
  EXPECT_EQ(status.Get("restartCount").AsInt(), 1);
  const value::Value last = status.Get("lastState").Get("terminated");
  EXPECT_EQ(last.Get("reason").AsString(), "OOMKilled");
  EXPECT_EQ(last.Get("exitCode").AsInt(), 137);
}

// KUBELET-39
TEST_P(KubeletBehaviour, HooksTakeTimeOfTheGrace) {
  const auto hook = [](const char* name, const std::string& command) {
    return fmt::format(R"({{"name":"{}","image":"web:1","lifecycle":{{"preStop":{{"exec":{{
        "command":[{}]}}}}}}}})",
                       name, command);
  };
  CreatePod(R"("prestop.ksim.dev/d":"fail after 2s","prestop.ksim.dev/e":"1h")",
            hook("a", R"("sleep","5")") + "," + hook("b", R"("/bin/sh","-c","sleep 8")") + "," +
                hook("d", R"("false")") + "," + hook("e", R"("hang")") + "," +
                R"({"name":"f","image":"web:1"})");
  w.Advance(Seconds(20));
  ASSERT_EQ(Status().Get("phase").AsString(), "Running");
  w.Forget();
  const VirtualTime since = w.api.sim.now();
  w.Delete("pods", "p", Grace(20));
  w.Advance(Seconds(40));
  const auto kills = Kills(since);
  EXPECT_EQ(kills.at("a"), 5);
  EXPECT_EQ(kills.at("b"), 8);
  EXPECT_EQ(kills.at("d"), 2);
  EXPECT_EQ(kills.at("e"), 20);
  EXPECT_EQ(kills.at("f"), 0);
  EXPECT_THAT(w.EventTexts(), Contains("Warning FailedPreStopHook PreStopHook failed"));
  EXPECT_TRUE(w.Get("pods", "p").empty());
}

}  // namespace
}  // namespace ksim
