// The kubelet and images that cannot be pulled.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ksim/kubelet/runtime/payloads.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::Not;

class KubeletImages : public testing::TestWithParam<api::Compat> {
 public:
  KubeletImages() : w(GetParam()) { w.StartKubelet("n1"); }

  void CreatePod(const std::string& pulls, const std::string& more = "") {
    w.Create("pods", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","annotations":{
        "pull.ksim.dev/c":")" +
                         pulls + R"("}},"spec":{"nodeName":"n1","containers":[
        {"name":"c","image":"web:1")" +
                         more + "}]}}");
  }
  value::Value Waiting() {
    return w.Get("pods", "p").status().Get("containerStatuses").at(0).Get("state").Get("waiting");
  }
  // The times at which pulls ended, and their results.
  std::vector<std::pair<VirtualTime, std::string>> Pulls() {
    std::vector<std::pair<VirtualTime, std::string>> out;
    for (const sim::Event& e : w.events()) {
      if (e.kind != sim::EventKind::kRuntime) continue;
      const auto& p = e.payload.As<kubelet::RuntimePayload>();
      if (p.action == "pull") out.emplace_back(e.time, p.result);
    }
    return out;
  }

  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, KubeletImages, testing::ValuesIn(kCompats), [](const auto& info) {
  std::string name(api::ToString(info.param));
  name[1] = '_';
  return name;
});

// KUBELET-13: ErrImagePull, then ImagePullBackOff with 10 s, 20 s, ... since the last pull.
TEST_P(KubeletImages, APullThatFailsIsTriedAgainWithABackOff) {
  CreatePod("fail after 1s, fail after 1s, pull after 1s");
  std::set<std::string> reasons;
  std::string backing_off;
  for (int i = 0; i < 90; ++i) {
    w.Advance(Seconds(1));
    const std::string reason(Waiting().Get("reason").AsString());
    reasons.insert(reason);
    if (reason == "ImagePullBackOff") backing_off = Waiting().Get("message").AsString();
  }
  EXPECT_THAT(reasons, Contains("ErrImagePull"));
  EXPECT_THAT(reasons, Contains("ImagePullBackOff"));
  const std::string error =
      "rpc error: code = NotFound desc = failed to pull and unpack image "
      "\"docker.io/library/web:1\": failed to resolve reference \"docker.io/library/web:1\": "
      "docker.io/library/web:1: not found";
  const bool v136 = GetParam() == api::Compat::k1_36;
  EXPECT_EQ(backing_off,
            "Back-off pulling image \"web:1\"" + (v136 ? ": ErrImagePull: " + error : ""));

  const auto pulls = Pulls();
  ASSERT_EQ(pulls.size(), 3u);
  EXPECT_EQ(pulls[0].second, "failed");
  EXPECT_EQ(pulls[1].second, "failed");
  EXPECT_EQ(pulls[2].second, "ok");
  EXPECT_GE(pulls[1].first - pulls[0].first, Seconds(11));  // the pull takes one of them
  EXPECT_GE(pulls[2].first - pulls[1].first, Seconds(21));
  EXPECT_EQ(w.Get("pods", "p").status().Get("phase").AsString(), "Running");

  const std::vector<std::string> texts = w.EventTexts();
  for (const std::string& text : {"Warning Failed Failed to pull image \"web:1\": " + error,
                                  std::string("Warning Failed Error: ErrImagePull"),
                                  std::string("Normal BackOff Back-off pulling image \"web:1\""),
                                  std::string("Warning Failed Error: ImagePullBackOff")})
    EXPECT_THAT(texts, Contains(text));
}

// KUBELET-13: the kubelet does not pull an image that the node has, except under the policy Always.
TEST_P(KubeletImages, OnlyAlwaysPullsWhatIsThere) {
  w.Create("pods", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"first"},"spec":{
      "nodeName":"n1","containers":[{"name":"c","image":"web:1"}]}})");
  w.Advance(Seconds(30));
  CreatePod("fail");
  w.Advance(Seconds(30));
  EXPECT_EQ(w.Get("pods", "p").status().Get("phase").AsString(), "Running");
  w.Delete("pods", "p");
  w.Advance(Minutes(1));
  CreatePod("fail", R"(,"imagePullPolicy":"Always")");
  w.Advance(Seconds(30));
  EXPECT_EQ(w.Get("pods", "p").status().Get("phase").AsString(), "Pending");
}

// KUBELET-13: the container's Failed event gives the reason, whatever it is.
TEST_P(KubeletImages, NeverPullsNothing) {
  CreatePod("pull", R"(,"imagePullPolicy":"Never")");
  w.Advance(Seconds(30));
  EXPECT_EQ(Waiting().Get("reason").AsString(), "ErrImageNeverPull");
  const std::vector<std::string> texts = w.EventTexts();
  EXPECT_THAT(texts, Contains("Warning ErrImageNeverPull Container image \"web:1\" is not present "
                              "with pull policy of Never"));
  EXPECT_THAT(texts, Contains("Warning Failed Error: ErrImageNeverPull"));
  EXPECT_THAT(texts, Not(Contains("Warning Failed Error: ErrImagePull")));
  EXPECT_TRUE(Pulls().empty());
}

}  // namespace
}  // namespace ksim
