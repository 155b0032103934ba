// ksim answers recorded requests as a real kube-apiserver did (tests/apiserver/recorded).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ksim/value/json.h"
#include "tests/apiserver/asker.h"

namespace ksim::apiserver {
namespace {

using value::Value;

std::vector<std::string> RecordedFiles() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator("tests/apiserver/recorded"))
    if (entry.path().extension() == ".jsonl") out.push_back(entry.path().stem().string());
  std::sort(out.begin(), out.end());
  return out;
}

class Recorded : public testing::TestWithParam<std::string> {};

// FILE-1.30.jsonl has the answers of 1.30.
TEST_P(Recorded, IsAnsweredAsUpstreamDoes) {
  const std::string& name = GetParam();
  const auto compat = api::ParseCompat(name.substr(name.rfind('-') + 1));
  ASSERT_TRUE(compat.has_value()) << name;
  World world{WorldOptions(*compat)};
  Asker asker(world);
  std::ifstream file("tests/apiserver/recorded/" + name + ".jsonl");
  std::string text;
  Versions ours, upstreams;
  for (int line = 1; std::getline(file, text); ++line) {
    const Value recorded = Json(text);
    const Value answer = asker.Ask(recorded.Get("ask"));
    if (!recorded.Has("answer")) continue;
    const auto shown = [&](const Value& v) {
      const Value comparable = Comparable(v);
      return value::ToJson(name.starts_with("custom") ? WithoutMapOrder(comparable) : comparable);
    };
    EXPECT_EQ(shown(answer), shown(recorded.Get("answer")))
        << name << ".jsonl:" << line << ": " << value::ToJson(recorded.Get("ask"));
    if (name.starts_with("writes")) {
      EXPECT_EQ(ours.Of(answer), upstreams.Of(recorded.Get("answer")))
          << name << ".jsonl:" << line << ": " << value::ToJson(recorded.Get("ask"));
    }
  }
}

std::string NameOf(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, Recorded, testing::ValuesIn(RecordedFiles()), NameOf);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Recorded);

}  // namespace
}  // namespace ksim::apiserver
