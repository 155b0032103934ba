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

}  // namespace
}  // namespace ksim::scenario
