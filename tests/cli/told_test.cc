// Scenarios that once ended with "ok" although something of them had failed or meant nothing: each
// is told, by `ksim run` and by a campaign alike.
#include <gtest/gtest.h>

#include "ksim/base/os.h"
#include "run_cli.h"

namespace ksim::cli {
namespace {

struct Told {
  const char* file;
  std::vector<std::string> command;  // and flags
  int code;
  const char* says;  // on stderr or stdout
};

std::vector<std::string> ArgumentsOf(const Told& told, std::size_t row) {
  std::vector<std::string> args = told.command;
  args.insert(args.begin() + 1, std::string("tests/cli/told/") + told.file + ".yaml");
  if (args[0] != "fuzz") return args;
  for (const char* flag : {"--seeds=1..9", "--jobs=1", "--shrink-runs=0"}) args.emplace_back(flag);
  args.push_back("--out=" + testing::TempDir() + "told-" + std::to_string(row));
  return args;
}

TEST(Told, ByRunAndByACampaign) {
  const Told rows[] = {
      Told{"eventually-met-once",
           {"run"},
           0,
           "warning: expectation 1 (eventually at least 1 pods with app=web where status.phase == "
           "Running) does not hold at the end: it held first at 2.5"},
      Told{"eventually-met-once", {"run", "--strict"}, 1, "error: expectation 1 (eventually"},
      Told{"eventually-met-once", {"run", "--set=expect[0].lasts=false", "--strict"}, 0, "ok: "},
      Told{"eventually-met-once",
           {"run", "--set=expect[0].lasts=true"},
           1,
           "violation: expect: eventually for good at least 1 pods with app=web where "
           "status.phase == Running: there are 0; it held first at 2.5"},
      Told{"eventually-met-once", {"run", "-o=json"}, 0, "\"notLasting\": [\n        {"},
      Told{"eventually-met-once",
           {"run", "--set=expect[0].eventually.selector=app=wbe",
            "--set=expect[0].eventually.count=0"},
           0,
           "warning: expectation 1 (eventually 0 pods with app=wbe where status.phase == Running) "
           "is vacuous: no object that it speaks of was ever there"},
      Told{"failed-step-unseen", {"run"}, 1, "error: step 2: "},
      Told{"wait-step", {"run"}, 1, "error: step 3: "},
      Told{"failed-step-unseen",
           {"fuzz"},
           1,
           "step     -      9      0           -       ksim run "
           "tests/cli/told/failed-step-unseen.yaml\n"},
      Told{"failed-step-unseen",
           {"fuzz", "-o=json"},
           1,
           "\"place\": \"step 2 (delete configmaps/nope)\""},
      Told{"wait-step",
           {"fuzz"},
           1,
           "failure: step: step 3 (wait pods -l app=web): error: no matching resources found\n"},
      Told{"wait-step", {"fuzz", "--set=faults=[]"}, 0, "0 distinct failures"},
      Told{"eventually-met-once",
           {"fuzz"},
           0,
           "does not hold at the end without drawn faults: it held first at 2.5"},
      Told{"eventually-met-once", {"fuzz", "--strict"}, 1, "error: expectation 1 (eventually"},
      Told{"eventually-met-once",
           {"fuzz", "--set=expect[0].lasts=false", "--strict"},
           0,
           "0 distinct failures"},
      Told{"eventually-met-once",
           {"fuzz", "--set=expect[0].lasts=true"},
           1,
           "failure: expect: eventually for good at least 1 pods"},
      Told{"misspelt-selector",
           {"run"},
           0,
           "warning: expectation 2 (always at most 5 pods with "
           "app=wbe) is vacuous: no object that it speaks of was ever there\n"},
      Told{"misspelt-selector",
           {"fuzz"},
           0,
           "warning: expectation 2 (always at most 5 pods with "
           "app=wbe) is vacuous: in no run was there an object that it speaks of\n"},
      Told{"misspelt-selector", {"fuzz", "--strict"}, 1, "error: expectation 2 "},
      Told{"misspelt-selector", {"fuzz", "-o=json"}, 0, "\"vacuous\": [\n        {"},
      Told{"misspelt-selector",
           {"fuzz", "--set=expect[1].always.selector=app=web", "--strict"},
           0,
           "0 distinct failures"},
      // Nothing is judged where nobody serves what the steps make, whatever faults are drawn.
      Told{"deployment-only", {"fuzz"}, 5, "nothing was judged: nobody but the user"},
      Told{"deployment-only", {"fuzz", "-o=json"}, 5, "\"judgedRuns\": 0"},
      Told{"deployment-only", {"fuzz", "--strict"}, 1, "error: no controller for Deployment"},
      Told{"deployment-only",
           {"fuzz", "--set=expect=[{always: {resource: deployments, count: 1}}]"},
           0,
           "0 distinct failures"},
      Told{"misspelt-selector",
           {"fuzz", "--set=cluster.controllers=[-replicaset]", "--set=expect=[]"},
           5,
           "nothing was judged"},
      Told{"misspelt-selector", {"fuzz", "--set=expect=[]"}, 0, "0 distinct failures"},
      Told{"misspelt-selector",
           {"fuzz", "--set=expect=[]", "--set=checks=[]"},
           5,
           "nothing was judged"},
      Told{"misspelt-selector",
           {"fuzz", "--set=expect=[]", "--set=checks=[quiet]"},
           0,
           "0 distinct failures"}};
  std::size_t row = 0;
  for (const Told& told : rows) {
    const std::vector<std::string> args = ArgumentsOf(told, row++);
    const CliResult r = RunCli(args);
    SCOPED_TRACE(testing::PrintToString(args) + "\n" + r.out + r.err);
    EXPECT_EQ(r.code, told.code);
    EXPECT_NE((r.out + r.err).find(told.says), std::string::npos) << told.says;
  }
}

}  // namespace
}  // namespace ksim::cli
