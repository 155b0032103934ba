// ksim fuzz --known: what is known is told, and does not count.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/run_cli.h"

namespace ksim::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kWorkload = "scenarios/museum/b5-delete-event-rv.workload.yaml";

class FuzzKnown : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = ::testing::TempDir() + "fuzz-known-" +
           ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(dir_);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  CliResult Fuzz(const std::string& out, const std::vector<std::string>& more) const {
    std::vector<std::string> args{"fuzz", kWorkload,       "--seeds", "1..2",  "--jobs",
                                  "1",    "--shrink-runs", "200",     "--out", dir_ + "/" + out};
    args.insert(args.end(), more.begin(), more.end());
    return RunCli(args);
  }

  std::string dir_;
};

TEST_F(FuzzKnown, WhatACommittedScenarioShowsDoesNotCount) {
  const CliResult first = Fuzz("found", {});
  ASSERT_EQ(first.code, 1) << first.out << first.err;
  const CliResult again = Fuzz("again", {"--known", dir_ + "/found"});
  EXPECT_EQ(again.code, 0) << again.out << again.err;
  EXPECT_THAT(again.out, HasSubstr("known: "));
  EXPECT_THAT(again.out, HasSubstr("0 distinct failures, 2 known"));
  EXPECT_THAT(again.out, Not(HasSubstr("SHOW IT AGAIN")));
  for (const auto& entry : std::filesystem::directory_iterator(dir_ + "/again"))
    EXPECT_FALSE(entry.is_directory()) << entry.path() << " of a known failure";
  EXPECT_THAT(Fuzz("json", {"--known", dir_ + "/found", "-o", "json"}).out,
              HasSubstr("\"known\": \"" + dir_ + "/found"));
}

TEST_F(FuzzKnown, AScenarioThatFailsNoMoreIsTold) {
  std::filesystem::create_directories(dir_ + "/known");
  std::filesystem::copy_file("scenarios/replicaset.yaml", dir_ + "/known/old.yaml");
  const CliResult r = Fuzz("found", {"--known", dir_ + "/known"});
  EXPECT_EQ(r.code, 1) << "what is new counts: " << r.out;
  EXPECT_THAT(r.out, HasSubstr("known/old.yaml fails no more: it is known for nothing"));
}

TEST_F(FuzzKnown, ADirectoryThatCannotBeIsWrongUsage) {
  std::filesystem::create_directories(dir_ + "/empty");
  const CliResult empty = Fuzz("found", {"--known", dir_ + "/empty"});
  EXPECT_EQ(empty.code, 2);
  EXPECT_THAT(empty.err, HasSubstr("holds no scenario"));
  EXPECT_EQ(Fuzz("found", {"--known", dir_ + "/none"}).code, 2);
  std::filesystem::create_directories(dir_ + "/same");
  EXPECT_EQ(Fuzz("same", {"--known", dir_ + "/same"}).code, 2) << "it would be replaced";
}

}  // namespace
}  // namespace ksim::cli
