// ksim describe and ksim events: the selection of objects and of their events.
#include <gtest/gtest.h>

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
