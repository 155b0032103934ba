// The step apply: the field managers on the server, and the texts of conflicts.
#include <gtest/gtest.h>

#include "ksim/scenario/runner.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

Loaded Read(const std::string& steps) {
  return LoadSpec("  cluster: {nodes: 1}\n  steps:\n" + steps);
}

// A step that applies data.k = `value` as `options` say.
std::string Apply(const std::string& value, const std::string& options) {
  return "  - {apply: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {k: " +
         value + "}}, " + options + "}}\n";
}

struct ScenarioRun {
  explicit ScenarioRun(const std::string& steps)
      : runner(Read(steps).scenarios.at(0), RunnerOptions()) {
    report = runner.Run();
  }
  std::string Data() {
    const api::ResourceInfo& maps = *runner.world().kinds().ByName("configmaps");
    for (const api::Object& o : runner.world().Objects(maps))
      if (o.name() == "m") return std::string(o.Get(value::Path{"data", "k"}).AsString());
    return "";
  }
  Runner runner;
  RunReport report;
};

// API-92
TEST(ServerSideApply, AConflictFailsTheStep) {
  ScenarioRun run(Apply("a", "serverSide: true, fieldManager: argo") +
                  Apply("b", "serverSide: true"));
  ASSERT_EQ(run.report.failures.size(), 1u);
  EXPECT_EQ(run.report.failures[0].error,
            "error: Apply failed with 1 conflict: conflict with \"argo\": .data.k\n"
            "Please review the fields above--they currently have other managers. Here\n"
            "are the ways you can resolve this warning:\n"
            "* If you intend to manage all of these fields, please re-run the apply\n"
            "  command with the `--force-conflicts` flag.\n"
            "* If you do not intend to manage all of the fields, please edit your\n"
            "  manifest to remove references to the fields that should keep their\n"
            "  current managers.\n"
            "* You may co-own fields by updating your manifest to match the existing\n"
            "  value; in this case, you'll become the manager if the other manager(s)\n"
            "  stop managing the field (remove it from their configuration).\n"
            "See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts");
  EXPECT_EQ(run.Data(), "a");
}

// API-92
TEST(ServerSideApply, ForceConflictsTakesTheField) {
  ScenarioRun run(Apply("a", "serverSide: true, fieldManager: argo") +
                  Apply("b", "serverSide: true, forceConflicts: true"));
  EXPECT_EQ(run.report.exit_code, 0);
  EXPECT_EQ(run.Data(), "b");
}

// apply.go applyOneObject, client side and server side.
TEST(Apply, WantsAName) {
  for (const char* options : {"serverSide: false", "serverSide: true"}) {
    ScenarioRun run(
        "  - {apply: {object: {apiVersion: v1, kind: ConfigMap, metadata: {generateName: x-}}, " +
        std::string(options) + "}}\n");
    ASSERT_EQ(run.report.failures.size(), 1u) << options;
    EXPECT_EQ(run.report.failures[0].error, "error: from x-: cannot use generate name with apply")
        << options;
  }
}

TEST(ServerSideApply, ItsOptionsNeedIt) {
  const Loaded loaded = Read(Apply("a", "fieldManager: argo"));
  ASSERT_EQ(loaded.errors.size(), 1u);
  EXPECT_EQ(loaded.errors[0].message, "fieldManager needs serverSide: true");
}

}  // namespace
}  // namespace ksim::scenario
