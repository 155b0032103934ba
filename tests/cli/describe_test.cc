// ksim describe and ksim events: the selection of objects and of their events.
#include <gtest/gtest.h>

#include "ksim/base/os.h"
#include "tests/cli/run_cli.h"

namespace ksim::cli {
namespace {

class ToldOfAnObject : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_EQ(RunCli({"run", "scenarios/replicaset.yaml", "-q", "--trace", Path()}).code, 0);
  }
  static std::string Path() { return testing::TempDir() + "told.jsonl"; }
  static CliResult Ask(const std::string& command, std::vector<std::string> args) {
    args.insert(args.begin(), {command, Path()});
    return RunCli(args);
  }
};

TEST_F(ToldOfAnObject, EventsOfSeveralObjectsOnlyOnDemand) {
  const std::string both = Ask("describe", {"pods"}).out;
  EXPECT_EQ(both.find("Events:"), std::string::npos);
  EXPECT_NE(both.find("\n\n\nName:             my-replicaset-8pt2v\n"), std::string::npos) << both;
  EXPECT_NE(Ask("describe", {"pods", "--show-events"}).out.find("Events:"), std::string::npos);
  EXPECT_EQ(Ask("describe", {"rs", "--show-events=false"}).out.find("Events:"), std::string::npos);
}

TEST_F(ToldOfAnObject, ANameMayBeAPrefix) {
  const CliResult r = Ask("describe", {"pods", "my-replicaset-8"});
  EXPECT_EQ(r.code, 0);
  EXPECT_TRUE(r.out.starts_with("Name:             my-replicaset-8pt2v\n")) << r.out;
  EXPECT_TRUE(r.out.ends_with("for 300s\n\n")) << r.out;
  const CliResult none = Ask("describe", {"pods", "nope"});
  EXPECT_EQ(none.err, "Error from server (NotFound): pods \"nope\" not found\n");
  EXPECT_EQ(none.code, 5);
  EXPECT_EQ(Ask("describe", {"secrets"}).err, "No resources found in default namespace.\n");
}

// cli-runtime pkg/printers/terminal.go: what is printed for people has no raw escapes; what is
// printed for programs has them as its format writes them.
TEST(Escapes, AreThoseOfKubectl) {
  const std::string file = testing::TempDir() + "escapes.yaml";
  const std::string trace = testing::TempDir() + "escapes.jsonl";
  ASSERT_TRUE(os::WriteFile(file,
                            "apiVersion: v1\n"
                            "kind: ConfigMap\n"
                            "metadata: {name: esc, annotations: {a: \"\\e[2J\\rb\"}}\n"
                            "data: {k: \"\\e[31mred\"}\n")
                  .ok());
  ASSERT_EQ(RunCli({"run", file, "-q", "--trace", trace}).code, 0);
  struct {
    std::vector<std::string> words;
    std::string has;
    bool raw;
  } const kCases[] = {
      {{"describe", "cm/esc"}, "Annotations:  a: ^[[2J\\rb\n", false},
      {{"describe", "cm/esc"}, "k:\n----\n^[[31mred\n", false},
      {{"get", "cm/esc", "-o", "custom-columns=K:.data.k"}, "K\n^[[31mred\n", false},
      {{"get", "cm/esc", "-o", "json"}, "\"k\": \"\\u001b[31mred\"", false},
      {{"get", "cm/esc", "-o", "yaml"}, "k: \"\\e[31mred\"", false},
      {{"get", "cm/esc", "-o", "jsonpath={.data}"}, "{\"k\":\"\\u001b[31mred\"}", false},
      {{"get", "cm/esc", "-o", "jsonpath={.data.k}"}, "\x1b[31mred", true}};
  for (const auto& c : kCases) {
    std::vector<std::string> args = c.words;
    args.insert(args.begin() + 1, trace);
    const CliResult r = RunCli(args);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_NE(r.out.find(c.has), std::string::npos) << r.out;
    EXPECT_EQ(r.out.find('\x1b') != std::string::npos, c.raw) << r.out;
  }
}

// No objects is no error for kubectl; an object that is named and missing is one.
TEST_F(ToldOfAnObject, NoResourcesFoundEndsWell) {
  struct {
    std::vector<std::string> words;
    std::string err;
    int code;
  } const kCases[] = {
      {{"get", "secrets"}, "No resources found in default namespace.\n", 0},
      {{"get", "secrets", "-n", "x"}, "No resources found in x namespace.\n", 0},
      {{"get", "secrets", "-A"}, "No resources found\n", 0},
      {{"get", "pv"}, "No resources found\n", 0},
      {{"get", "pv,secrets"}, "No resources found\n", 0},
      {{"get", "secrets", "--ignore-not-found"}, "", 0},
      {{"get", "secrets", "-o", "name"}, "", 0},
      {{"get", "secrets", "-l", "a=b", "-o", "json"}, "", 0},
      {{"get", "secrets", "a"}, "Error from server (NotFound): secrets \"a\" not found\n", 5},
      {{"get", "secrets", "a", "--ignore-not-found"}, "", 0},
      {{"describe", "secrets"}, "No resources found in default namespace.\n", 0},
      {{"describe", "pv"}, "No resources found in default namespace.\n", 0},
      {{"describe", "pv", "-A"}, "No resources found\n", 0},
      {{"describe", "secrets", "a"}, "Error from server (NotFound): secrets \"a\" not found\n", 5},
      {{"events", "-n", "x"}, "No events found in x namespace.\n", 0},
      {{"events", "-A", "--types", "Warning"}, "No events found.\n", 0}};
  for (const auto& c : kCases) {
    const CliResult r =
        Ask(c.words.front(), std::vector<std::string>(c.words.begin() + 1, c.words.end()));
    EXPECT_EQ(r.err, c.err) << testing::PrintToString(c.words);
    EXPECT_EQ(r.code, c.code) << testing::PrintToString(c.words);
  }
}

TEST_F(ToldOfAnObject, EventsAreAskedForAsInKubectl) {
  EXPECT_EQ(Ask("events", {"--for", "rs/my-replicaset", "--types=normal,WARNING"}).out,
            "LAST SEEN   TYPE     REASON             OBJECT                     MESSAGE\n"
            "6s          Normal   SuccessfulCreate   ReplicaSet/my-replicaset   Created pod: "
            "my-replicaset-8pt2v\n"
            "6s          Normal   SuccessfulCreate   ReplicaSet/my-replicaset   Created pod: "
            "my-replicaset-7l6pd\n");
  EXPECT_EQ(Ask("events", {"--for", "rs/my-replicaset", "--no-headers", "-A"}).out,
            "default   6s    Normal   SuccessfulCreate   ReplicaSet/my-replicaset   Created pod: "
            "my-replicaset-8pt2v\n"
            "default   6s    Normal   SuccessfulCreate   ReplicaSet/my-replicaset   Created pod: "
            "my-replicaset-7l6pd\n");
  EXPECT_EQ(Ask("events", {"--for", "rs/my-replicaset", "-o",
                           R"(jsonpath={.kind}{range .items[*]} {.reason}{end})"})
                .out,
            "EventList SuccessfulCreate SuccessfulCreate");
  const std::pair<std::vector<std::string>, const char*> wrong[] = {
      {{"--for", "rs"}, "error: --for must be in resource/name form\n"},
      {{"--for", "rs/a/b"},
       "error: arguments in resource/name form may not have more than one slash\n"},
      {{"--types", "Bad"}, "error: valid --types are Normal or Warning\n"},
      {{"pods"}, "error: unexpected argument \"pods\"\nhint: --for TYPE/NAME\n"},
  };
  for (const auto& [args, want] : wrong) {
    EXPECT_EQ(Ask("events", args).err, want);
    EXPECT_EQ(Ask("events", args).code, 2) << want;
  }
  EXPECT_EQ(Ask("events", {"-n", "x"}).err, "No events found in x namespace.\n");
  EXPECT_EQ(Ask("events", {"-A", "--types", "Warning"}).err, "No events found.\n");
  EXPECT_EQ(Ask("events", {"-A", "--types", "Warning", "-o", "json"}).out, "");
}

}  // namespace
}  // namespace ksim::cli
