// Controllers and custom kinds that a program brings along.
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "docs/examples/website/website_controller.h"
#include "from_text.h"
#include "ksim/check/trace_law.h"
#include "ksim/cluster.h"
#include "ksim/scenario/runner.h"

namespace ksim {
namespace {

constexpr const char* kShop = R"(
apiVersion: example.dev/v1
kind: Website
metadata: {name: shop}
spec: {image: nginx, copies: 2}
)";

// The controller watches Websites from the start. (Until somebody made one, nobody knew the kind,
// and it crashed.)
TEST(OwnControllers, ACustomKindIsServedBeforeItsFirstObject) {
  for (const api::Compat compat : {api::Compat::k1_25, api::Compat::k1_30, api::Compat::k1_36}) {
    ClusterOptions options;
    options.compat = compat;
    Cluster cluster(options);
    cluster.AddController("website-controller", MakeWebsiteController);
    ASSERT_TRUE(cluster.Run().ok());
    EXPECT_TRUE(cluster.List("websites").empty());
    ASSERT_TRUE(cluster.Apply(kShop).ok());
    ASSERT_TRUE(cluster.Run().ok());
    EXPECT_EQ(cluster.List("pods").size(), 2u);
    EXPECT_EQ(cluster.Get("websites", "default", "shop").status().Get("ready").AsInt(), 2);
  }
}

// The shrinker leaves such a scenario, where a failure does not need the object.
TEST(OwnControllers, AScenarioNeedNotMakeAnyObjectOfTheKind) {
  const scenario::Scenario nothing = scenario::FromSpec("  cluster: {nodes: 1}\n");
  scenario::RunnerOptions options;
  scenario::PluggedController own;
  own.name = "website-controller";
  own.factory = MakeWebsiteController;
  options.world.controllers.push_back(std::move(own));
  scenario::Runner runner(nothing, std::move(options));
  EXPECT_EQ(runner.Run().exit_code, 0);
  const trace::Trace trace = runner.MakeTrace(trace::RenderOptions());
  EXPECT_EQ(trace.header.own_controllers, std::vector<std::string>{"website-controller"});
}

// Another version than the guess, and a kind of two words: the manifest says what it is.
TEST(OwnControllers, AManifestSaysTheKindOfAResourceThatWasGuessed) {
  Cluster cluster;
  cluster.AddController("website-controller", MakeWebsiteController);
  ASSERT_TRUE(cluster.Run().ok());
  ASSERT_TRUE(cluster
                  .Apply("apiVersion: example.dev/v1beta1\nkind: WebSite\n"
                         "metadata: {name: shop}\nspec: {image: nginx, copies: 1}\n")
                  .ok());
  ASSERT_TRUE(cluster.Run().ok());
  EXPECT_EQ(cluster.Get("websites", "default", "shop").kind(), "WebSite");
  EXPECT_EQ(cluster.List("pods").size(), 1u);
}

// Nobody judged the run, no phases, kinds and actors of the program's own: a correct trace all the
// same.
TEST(OwnControllers, TheirTraceContradictsNothing) {
  for (const api::Compat compat : {api::Compat::k1_25, api::Compat::k1_30, api::Compat::k1_36}) {
    ClusterOptions options;
    options.compat = compat;
    Cluster cluster(options);
    cluster.AddController("website-controller", MakeWebsiteController);
    ASSERT_TRUE(cluster.Apply(kShop).ok());
    ASSERT_TRUE(cluster.Run().ok());
    cluster.Delete("websites", "shop");
    ASSERT_TRUE(cluster.Run().ok());
    const trace::Trace trace = cluster.MakeTrace();
    const auto checker = check::CheckTrace(trace, {"*"});
    ASSERT_TRUE(checker.ok());
    for (const check::Finding& f : check::ContradictionsIn(trace, **checker))
      ADD_FAILURE() << f.violation.message;
  }
}

}  // namespace
}  // namespace ksim
