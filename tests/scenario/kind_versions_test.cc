// Custom kinds at several versions: what is said before a run, and what the run does, agree.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "from_text.h"
#include "ksim/scenario/dry_run.h"
#include "ksim/scenario/runner.h"

namespace ksim::scenario {
namespace {

std::string Definition(const std::string& versions) {
  return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
         "metadata: {name: widgets.example.com}\n"
         "spec: {group: example.com, scope: Namespaced, names: {plural: widgets, singular: widget, "
         "kind: Widget}, versions: [" +
         versions + "]}\n---\n";
}

std::string Version(const char* name, bool served, bool storage) {
  return fmt::format(
      "{{name: {}, served: {}, storage: {}, schema: {{openAPIV3Schema: {{type: object, "
      "x-kubernetes-preserve-unknown-fields: true}}}}}}",
      name, served, storage);
}

std::string Widget(const char* version, const char* name) {
  return fmt::format("apiVersion: example.com/{}\nkind: Widget\nmetadata: {{name: {}}}\n---\n",
                     version, name);
}

TEST(KindVersions, ValidateAndRunAgree) {
  const std::string both =
      Definition(Version("v1", true, true) + ", " + Version("v1alpha1", true, false));
  const std::string one =
      Definition(Version("v1", true, true) + ", " + Version("v1alpha1", false, false));
  const std::string two = Widget("v1", "a") + Widget("v1alpha1", "b");
  const struct {
    std::string text;
    std::string error;  // "" = none
    std::size_t widgets;
  } rows[] = {
      {two, "", 2},  // nobody defines the kind
      {both + two, "", 2},
      {both + Widget("v1alpha1", "b"), "", 1},
      {one + Widget("v1", "a"), "", 1},
      {one + two, "no matches for kind \"Widget\" in version \"example.com/v1alpha1\"", 1},
      // The kind is met before its definition: no server knows it yet.
      {two + one, "no matches for kind \"Widget\" in version \"example.com/v1\"", 0},
      {Widget("v1", "a") + both, "no matches for kind \"Widget\" in version \"example.com/v1\"", 0},
      {both + Widget("v2", "c"), "no matches for kind \"Widget\" in version \"example.com/v2\"", 0},
  };
  for (const auto& row : rows) {
    const Loaded loaded = LoadText(row.text);
    ASSERT_EQ(loaded.scenarios.size(), 1u) << row.text;
    std::vector<Diagnostic> errors = loaded.errors;
    if (errors.empty()) errors = DryRun(loaded.scenarios[0]);
    EXPECT_EQ(errors.empty() ? "" : errors[0].message, row.error) << row.text;
    EXPECT_TRUE(errors.empty() || errors[0].span.line > 0);

    Runner runner(loaded.scenarios[0], RunnerOptions());
    const RunReport report = runner.Run();
    EXPECT_EQ(report.failures.empty() ? "" : report.failures[0].error,
              row.error.empty() ? "" : "error: " + row.error)
        << row.text;
    const api::ResourceInfo* widgets = runner.world().kinds().ByName("widgets");
    ASSERT_NE(widgets, nullptr);
    EXPECT_EQ(runner.world().Objects(*widgets).size(), row.widgets) << row.text;
  }
}

// CRD-28
TEST(KindVersions, AStepAtAVersionThatIsServedNoLongerFails) {
  const std::string text =
      "apiVersion: ksim.dev/v1\nkind: Scenario\nmetadata: {name: test}\nspec:\n"
      "  cluster: {nodes: 1}\n  steps:\n  - {at: 0s, create: {documents: all}}\n"
      "  - {label: {resource: widgets.v1alpha1.example.com/a, set: {a: b}}}\n"
      "  - patch:\n      resource: crd/widgets.example.com\n      type: json\n"
      "      patch: [{op: replace, path: /spec/versions/1/served, value: false}]\n"
      "  - {at: 20s, patch: {resource: widgets.v1alpha1.example.com/a, type: merge, "
      "patch: {spec: {}}}}\n"
      "  - {patch: {resource: widgets.v1.example.com/a, type: merge, patch: {spec: {}}}}\n---\n" +
      Definition(Version("v1", true, true) + ", " + Version("v1alpha1", true, false)) +
      Widget("v1", "a");
  const Loaded loaded = LoadText(text);
  ASSERT_EQ(Render(loaded.errors, false), "");
  Runner runner(loaded.scenarios[0], RunnerOptions());
  const RunReport report = runner.Run();
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_EQ(report.failures[0].error, "error: the server doesn't have a resource type \"widgets\"");
}

// CRD-28: of a version that nothing in the file serves the file says so.
TEST(KindVersions, AVersionThatNobodyServesIsAnErrorOfTheFile) {
  const std::string crd = Definition(Version("v1", true, true) + ", " + Version("v2", true, false));
  const struct {
    const char *spec, *error;
  } rows[] = {
      {"steps: [{delete: {resource: widgets.v7.example.com/a}}]",
       "test.yaml:5:31: error: the server does not serve \"widgets.v7.example.com\""},
      {"steps: [{rollout: {resource: deployments.v1beta1.apps/a, command: restart}}]",
       "test.yaml:5:32: error: the server does not serve \"deployments.v1beta1.apps\""},
      {"expect: [{eventually: {resource: widgets.v2.example.com, count: 1}}]",
       "test.yaml:5:36: error: \"widgets.v2.example.com\" names a version, and objects are judged "
       "as they are stored"},
      {"faults: [{at: 1s, dropBookmark: {client: kube-scheduler, resource: "
       "widgets.v2.example.com}}]",
       "test.yaml:5:70: error: \"widgets.v2.example.com\" names a version, and faults strike all "
       "versions"},
  };
  for (const auto& row : rows) {
    const Loaded loaded = LoadText(
        fmt::format("apiVersion: ksim.dev/v1\nkind: Scenario\nmetadata: {{name: test}}\nspec:\n"
                    "  {}\n---\n{}",
                    row.spec, crd));
    const std::string got = Render(loaded.errors, false);
    EXPECT_EQ(got.substr(0, got.find('\n')), row.error) << got;
  }
}

}  // namespace
}  // namespace ksim::scenario
