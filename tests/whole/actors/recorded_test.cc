// ksim's scheduler and ReplicaSet controller end recorded cases as a real kube-scheduler and a real
// kube-controller-manager did (tests/whole/actors/recorded).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/apiserver/world.h"
#include "tests/whole/actors/recorded_world.h"

namespace ksim {
namespace {

std::vector<std::string> Files() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator("tests/whole/actors/recorded"))
    if (entry.path().extension() == ".jsonl") out.push_back(entry.path().stem().string());
  std::sort(out.begin(), out.end());
  return out;
}

class RecordedOutcome : public testing::TestWithParam<std::string> {};

// FILE-1.30.jsonl has the outcomes of 1.30.
TEST_P(RecordedOutcome, ComesOfTheSameCase) {
  const std::string& name = GetParam();
  const auto compat = api::ParseCompat(name.substr(name.rfind('-') + 1));
  ASSERT_TRUE(compat.has_value()) << name;
  std::ifstream file("tests/whole/actors/recorded/" + name + ".jsonl");
  std::string text;
  while (std::getline(file, text)) {
    const value::Value recorded = apiserver::Json(text);
    std::vector<std::string> real;
    for (const value::Value& line : recorded.Get("outcome").items())
      real.emplace_back(line.AsString());
    EXPECT_EQ(fmt::format("{}", fmt::join(OutcomeOf(recorded, *compat), "\n")),
              fmt::format("{}", fmt::join(real, "\n")))
        << name << ": " << recorded.Get("case").AsString();
  }
}

std::string NameOf(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, RecordedOutcome, testing::ValuesIn(Files()), NameOf);

}  // namespace
}  // namespace ksim
