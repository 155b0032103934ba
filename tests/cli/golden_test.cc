// The digest of every scenario, the same for all compilers, build types and machines. A change of
// behaviour changes it: KSIM_UPDATE_GOLDEN=1 rewrites the file, and the commit says why.
#include <gtest/gtest.h>

#include "ksim/base/os.h"
#include "ksim/value/json.h"
#include "tests/cli/run_cli.h"

namespace ksim::cli {
namespace {

TEST(Golden, DigestsOfAllScenarios) {
  const absl::StatusOr<std::vector<std::string>> names = os::ListDirectory("scenarios", ".yaml");
  ASSERT_TRUE(names.ok());
  std::string text;
  for (const std::string& name : *names) {
    const CliResult r = RunCli({"run", "scenarios/" + name, "-o", "json"});
    EXPECT_EQ(r.code, 0) << name << "\n" << r.err;
    const absl::StatusOr<value::Value> result = value::ParseJson(r.out);
    ASSERT_TRUE(result.ok()) << name;
    text += name + " " + std::string(result->Get("digest").AsString()) + "\n";
  }
  const std::string golden = "scenarios/golden/digests.txt";
  if (os::Environment("KSIM_UPDATE_GOLDEN").has_value()) {
    ASSERT_TRUE(os::MakeDirectories("scenarios/golden").ok());
    ASSERT_TRUE(os::WriteFile(golden, text).ok());
  }
  const absl::StatusOr<std::string> expected = os::ReadFile(golden);
  ASSERT_TRUE(expected.ok());
  EXPECT_EQ(text, *expected);
}

}  // namespace
}  // namespace ksim::cli
