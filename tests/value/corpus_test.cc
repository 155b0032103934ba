// The fuzzers' seed inputs, run one by one: tests/whole/fuzzers/corpus. JSON files named y_ are
// valid, n_ are not; nlohmann::json must think the same, except of duplicate names and depth.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "ksim/value/json.h"
#include "ksim/value/yaml.h"

namespace ksim::value {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> FilesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string Read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Corpus, Json) {
  int files = 0;
  for (const fs::path& path : FilesIn("tests/whole/fuzzers/corpus/json")) {
    ++files;
    const std::string text = Read(path);
    const std::string name = path.filename().string();
    const auto v = ParseJson(text);
    ASSERT_EQ(v.ok(), name.starts_with("y_")) << name << ": " << v.status();
    if (!name.starts_with("n_dup_") && name.find("deep") == std::string::npos) {
      const auto model = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
      EXPECT_EQ(!model.is_discarded(), v.ok()) << name;
      if (v.ok()) {
        EXPECT_EQ(nlohmann::json::parse(ToJson(*v)), model) << name;
      }
    }
    if (v.ok()) {
      EXPECT_EQ(*ParseJson(ToJson(*v)), *v) << name;
      EXPECT_EQ(*ParseJson(ToPrettyJson(*v)), *v) << name;
    }
  }
  EXPECT_GT(files, 60);
}

TEST(Corpus, Yaml) {
  int files = 0;
  for (const fs::path& path : FilesIn("tests/whole/fuzzers/corpus/yaml")) {
    ++files;
    const YamlFile file = ParseYaml(Read(path), path.filename().string());
    for (const Diagnostic& d : file.errors) EXPECT_GT(d.span.line, 0) << Render(d, false);
    for (const YamlNode& document : file.documents) {
      const Value v = document.ToValue();
      const YamlFile again = ParseYaml(ToYaml(v), "again");
      ASSERT_EQ(again.documents.size(), 1u) << path;
      EXPECT_EQ(again.documents.front().ToValue(), v) << path;
    }
  }
  EXPECT_GT(files, 15);
}

}  // namespace
}  // namespace ksim::value
