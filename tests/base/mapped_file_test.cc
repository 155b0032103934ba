#include "ksim/base/mapped_file.h"

#include <gtest/gtest.h>

#include <string>

#include "ksim/base/os.h"

namespace ksim::os {
namespace {

TEST(MappedFile, HasTheContentOfTheFile) {
  const std::string path = testing::TempDir() + "mapped_file_test";
  const std::string text(100'000, 'x');
  ASSERT_TRUE(WriteFile(path, text).ok());
  const auto file = MappedFile::Open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ((*file)->content(), text);
}

TEST(MappedFile, AnEmptyFileIsNoMistake) {
  const std::string path = testing::TempDir() + "mapped_file_test_empty";
  ASSERT_TRUE(WriteFile(path, "").ok());
  const auto file = MappedFile::Open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ((*file)->content(), "");
}

TEST(MappedFile, SaysWhatReadFileSays) {
  const std::string nowhere = testing::TempDir() + "nowhere/at-all";
  EXPECT_EQ(MappedFile::Open(nowhere).status(), ReadFile(nowhere).status());
  EXPECT_EQ(MappedFile::Open(testing::TempDir()).status(), ReadFile(testing::TempDir()).status());
}

}  // namespace
}  // namespace ksim::os
