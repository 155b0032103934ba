// Each scenario of this folder showed a fault of ksim, which its first lines describe. The test
// runs it under every profile as `ksim run` does, and no oracle alarms. The faults of a scenario
// that names a version come there; of the others under every profile.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/ascii.h"
#include "ksim/api/compat.h"
#include "ksim/scenario/load.h"
#include "ksim/scenario/runner.h"

namespace ksim::scenario {
namespace {

std::vector<std::string> Files() {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("tests/regress"))
    if (entry.path().extension() == ".yaml") files.insert(entry.path().string());
  return {files.begin(), files.end()};
}

using Case = std::tuple<std::string, api::Compat>;
class Regress : public ::testing::TestWithParam<Case> {};

std::string NameOf(const ::testing::TestParamInfo<Case>& info) {
  std::string name =
      fmt::format("{}_{}", std::filesystem::path(std::get<0>(info.param)).stem().string(),
                  api::ToString(std::get<1>(info.param)));
  for (char& c : name)
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Regress,
                         ::testing::Combine(::testing::ValuesIn(Files()),
                                            ::testing::Values(api::Compat::k1_25,
                                                              api::Compat::k1_30,
                                                              api::Compat::k1_36)),
                         NameOf);

bool FaultsComeIn(api::Compat compat, const std::string& file) {
  const api::Compat own = Load({file}, LoadOptions()).scenarios.at(0).compat;
  return own == compat || own == api::kDefaultCompat;
}

TEST_P(Regress, IsSilent) {
  const auto& [file, compat] = GetParam();
  LoadOptions options;
  options.set.push_back(fmt::format("compat={}", api::ToString(compat)));
  const Loaded loaded = Load({file}, options);
  ASSERT_EQ(Render(loaded.errors, false), "");
  Runner runner(loaded.scenarios.at(0), RunnerOptions());
  const RunReport report = runner.Run();
  EXPECT_EQ(report.exit_code, 0);
  for (const trace::Violation& v : report.end.violations)
    ADD_FAILURE() << v.oracle << ": " << v.message;
  if (!FaultsComeIn(compat, file)) return;
  for (const FaultNote& n : report.faults_missing) ADD_FAILURE() << n.fault << ": " << n.why;
}

}  // namespace
}  // namespace ksim::scenario
