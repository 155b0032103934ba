// The examples of docs/faults.md run, and all of their faults happen.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "ksim/base/os.h"
#include "ksim/fault/catalogue.h"
#include "tests/fault/fault_run.h"

namespace ksim::fault {
namespace {

std::vector<std::string> Examples() {
  const absl::StatusOr<std::string> text = os::ReadFile("docs/faults.md");
  if (!text.ok()) return {};
  std::vector<std::string> out;
  std::istringstream lines(*text);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "```yaml") {
      inside = true;
      out.emplace_back();
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      out.back() += "  " + line + "\n";
    }
  }
  return out;
}

TEST(Documentation, EveryExampleRunsAndConverges) {
  const std::vector<std::string> examples = Examples();
  ASSERT_GE(examples.size(), 14u);
  for (const std::string& example : examples) {
    const auto run = FaultRun::With(example);
    EXPECT_EQ(run->report.exit_code, 0) << example;
    EXPECT_EQ(run->Pods(), 2) << example;
    for (const scenario::FaultNote& note : run->report.faults_missing)
      ADD_FAILURE() << note.fault << ": " << note.why << "\n" << example;
  }
}

TEST(Documentation, EveryVerbHasAnExample) {
  std::string all;
  for (const std::string& example : Examples()) all += example;
  for (std::string_view verb : VerbNames())
    EXPECT_NE(all.find(std::string(verb) + ": {"), std::string::npos) << verb;
}

// A row of the table: | `dropWatch` | `client`, `resource`, [`how`] | ... |
std::string TableRow(const FaultVerb& verb) {
  std::string arguments;
  for (const Argument& a : verb.arguments) {
    if (!arguments.empty()) arguments += ", ";
    arguments += fmt::format(fmt::runtime(a.required ? "`{}`" : "[`{}`]"), a.name);
  }
  return fmt::format("| `{}` | {} | {} |\n", verb.name, arguments, verb.text);
}

TEST(Documentation, TheTableHasEveryVerbWithItsArguments) {
  const absl::StatusOr<std::string> text = os::ReadFile("docs/faults.md");
  ASSERT_TRUE(text.ok());
  std::string table = "| verb | arguments | effect |\n|---|---|---|\n";
  for (const FaultVerb& verb : Catalogue()) table += TableRow(verb);
  EXPECT_NE(text->find(table), std::string::npos) << "docs/faults.md must have:\n" << table;
}

}  // namespace
}  // namespace ksim::fault
