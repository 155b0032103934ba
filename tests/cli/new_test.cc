// ksim new controller: the files, their names, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "ksim/base/os.h"
#include "ksim/cli/skeleton/skeleton.h"
#include "run_cli.h"

namespace ksim::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

// A directory that is not there yet.
std::string Fresh(const std::string& name) {
  const std::string dir = testing::TempDir() + "new_test." + name;
  std::filesystem::remove_all(dir);
  return dir;
}

std::string Read(const std::string& path) { return os::ReadFile(path).value_or("(none)"); }

TEST(New, WritesTheExampleUnderOtherNames) {
  const std::string dir = Fresh("policy");
  const CliResult made =
      RunCli({"new", "controller", "policy-operator", "--dir", dir, "--group", "corp.example"});
  ASSERT_EQ(made.code, 0) << made.err;
  for (const char* file :
       {"CMakeLists.txt", "README.md", ".gitignore", ".github/workflows/ci.yml", "main.cc",
        "policy_controller.h", "policy_registry.h", "policy_test.cc", "scenarios/shop.yaml"}) {
    EXPECT_THAT(made.out, HasSubstr(dir + "/" + file + "\n"));
    const std::string text = Read(dir + "/" + file);
    EXPECT_NE(text, "(none)") << file;
    for (const char* word : {"website", "Website", "WEBSITE", "example.dev"})
      EXPECT_THAT(text, Not(HasSubstr(word))) << file;
  }
  EXPECT_THAT(Read(dir + "/CMakeLists.txt"), HasSubstr("project(policy-operator LANGUAGES CXX)"));
  EXPECT_THAT(Read(dir + "/policy_controller.h"),
              HasSubstr("context_.Resource(\"corp.example\", \"policies\")"));
  EXPECT_THAT(Read(dir + "/scenarios/shop.yaml"), HasSubstr("kind: Policy\n"));
  EXPECT_THAT(made.out, HasSubstr("build/policy-operator run shop\n"));
}

// PROG-06.
TEST(New, WritesNothingOverWhatIsThere) {
  const std::string dir = Fresh("taken");
  ASSERT_TRUE(os::MakeDirectories(dir).ok());
  const CliResult made = RunCli({"new", "controller", "widget-controller", "--dir", dir});
  EXPECT_EQ(made.code, 2);
  EXPECT_EQ(made.err, dir + ": error: it is there already; --dir names another\n");
  EXPECT_TRUE(std::filesystem::is_empty(dir));
}

TEST(New, LeavesNothingHalfWritten) {
  const std::string file = testing::TempDir() + "new_test.file";
  ASSERT_TRUE(os::WriteFile(file, "no directory").ok());
  const CliResult made = RunCli({"new", "controller", "widget-controller", "--dir", file + "/w"});
  EXPECT_EQ(made.code, 2);
  EXPECT_THAT(made.err, HasSubstr("cannot write it"));
  EXPECT_EQ(Read(file), "no directory");
}

TEST(New, RefusesNamesThatAreNone) {
  const auto complaint = [](std::vector<std::string> args) {
    args.insert(args.begin(), {"new", "controller"});
    args.insert(args.end(), {"--dir", Fresh("refused")});
    const CliResult made = RunCli(args);
    EXPECT_EQ(made.code, 2);
    EXPECT_FALSE(os::Exists(testing::TempDir() + "new_test.refused"));
    return made.err;
  };
  EXPECT_THAT(complaint({"My_Controller"}), HasSubstr("has a bad name"));
  EXPECT_THAT(complaint({"replicaset"}), HasSubstr("ksim has a controller \"replicaset\" already"));
  EXPECT_THAT(complaint({"w", "--kind", "widget"}), HasSubstr("\"widget\" is no kind"));
  EXPECT_THAT(complaint({"w", "--group", "apps"}), HasSubstr("\"apps\" is Kubernetes' own"));
  EXPECT_THAT(complaint({"w", "--group", "Corp.Example"}), HasSubstr("is no group"));
}

TEST(New, SaysWhatItMakes) {
  EXPECT_EQ(RunCli({"new"}).err, "error: new what?\nhint: ksim new controller widget-controller\n");
  EXPECT_EQ(RunCli({"new", "kind", "Widget"}).code, 2);
  EXPECT_EQ(RunCli({"new", "controller"}).code, 2);
}

TEST(New, AKindIsMadeOfTheName) {
  EXPECT_EQ(KindFromName("widget-controller"), "Widget");
  EXPECT_EQ(KindFromName("web-site-operator"), "WebSite");
  EXPECT_EQ(KindFromName("controller"), "Controller");
}

}  // namespace
}  // namespace ksim::cli
