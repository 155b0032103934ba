#include "ksim/scenario/guests.h"

#include <fmt/format.h>

#include <string>

#include "from_text.h"
#include "gtest/gtest.h"
#include "ksim/base/os.h"
#include "ksim/base/status.h"

namespace ksim::scenario {
namespace {

// A file that is there; it is no program.
std::string SomeFile() {
  const std::string path = testing::TempDir() + "/ksim-guests-test.wasm";
  EXPECT_TRUE(os::WriteFile(path, "not wasm").ok());
  return path;
}

std::string ErrorsOf(const std::string& spec) { return Render(LoadSpec(spec).errors, false); }

TEST(Guests, AreReadAndWrittenAsTheyAre) {
  const Scenario scenario = FromSpec(fmt::format(R"(
  cluster:
    guests:
    - {{name: my-operator, file: {}, args: [--leader-elect], env: {{A: "1"}}, replicas: 2}}
)",
                                                 SomeFile()));
  ASSERT_EQ(scenario.cluster.guests.size(), 1u);
  const GuestSpec& guest = scenario.cluster.guests[0];
  EXPECT_EQ(guest.user, "system:serviceaccount:default:my-operator");
  EXPECT_EQ(scenario.cluster.GuestProcesses(),
            (std::vector<std::string>{"my-operator-0", "my-operator-1"}));

  // A trace's header holds the scenario: the arguments are there, and what the file contained.
  const Scenario again = Only(ParseScenarioTree(ToTree(scenario)));
  ASSERT_EQ(again.cluster.guests.size(), 1u);
  EXPECT_EQ(again.cluster.guests[0].args, guest.args);
  EXPECT_EQ(again.cluster.guests[0].env, guest.env);
  EXPECT_EQ(again.cluster.guests[0].replicas, 2);
  EXPECT_EQ(again.cluster.guests[0].hash.size(), 32u);
}

TEST(Guests, AFileThatIsMissingIsToldAtItsPlace) {
  const std::string errors = ErrorsOf("  cluster: {guests: [{name: a, file: none.wasm}]}\n");
  EXPECT_NE(errors.find("test.yaml:5:"), std::string::npos) << errors;
  EXPECT_NE(errors.find("there is no file none.wasm"), std::string::npos) << errors;
  EXPECT_NE(errors.find("ksim guest build"), std::string::npos) << errors;
}

TEST(Guests, NamesAreOnesOfProcessesAndDiffer) {
  const std::string file = SomeFile();
  EXPECT_NE(ErrorsOf(fmt::format("  cluster: {{guests: [{{name: A_b, file: {}}}]}}\n", file))
                .find("no name of a process"),
            std::string::npos);
  EXPECT_NE(ErrorsOf(fmt::format("  cluster: {{guests: [{{name: a, file: {0}}}, {{name: a, file: "
                                 "{0}}}]}}\n",
                                 file))
                .find("there is a process \"a\" already"),
            std::string::npos);
}

TEST(Guests, AProcessThatIsThereKeepsItsName) {
  for (const char* name :
       {"kubectl", "kube-apiserver-0", "kube-scheduler", "kube-controller-manager"}) {
    const std::string errors = ErrorsOf(
        fmt::format("  cluster: {{guests: [{{name: {}, file: {}}}]}}\n", name, SomeFile()));
    EXPECT_NE(errors.find(fmt::format("there is a process \"{}\" already", name)),
              std::string::npos)
        << errors;
  }
  // Where ksim's own does not run, the name is free.
  EXPECT_EQ(ErrorsOf(fmt::format("  cluster: {{components: [-kube-scheduler], guests: [{{name: "
                                 "kube-scheduler, file: {}, standsFor: kube-scheduler}}]}}\n",
                                 SomeFile())),
            "");
  EXPECT_NE(ErrorsOf(fmt::format("  cluster: {{guests: [{{name: a, file: {}, standsFor: kubelet}}]"
                                 "}}\n",
                                 SomeFile()))
                .find("no component \"kubelet\""),
            std::string::npos);
}

TEST(Guests, KubernetesOwnControllersTakeThePlaceOfKsims) {
  const Scenario all =
      FromSpec(fmt::format("  cluster: {{controllers: {{guest: {}}}}}\n", SomeFile()));
  EXPECT_FALSE(all.cluster.Runs("kube-controller-manager"));
  EXPECT_TRUE(all.cluster.Runs("kube-scheduler"));
  EXPECT_TRUE(all.cluster.HasGuestFor("kube-controller-manager"));
  EXPECT_EQ(all.cluster.guests[0].user, "system:kube-controller-manager");

  const Scenario some = FromSpec(fmt::format(
      "  cluster: {{controllers: {{guest: {}, instead: [replicaset]}}}}\n", SomeFile()));
  EXPECT_TRUE(some.cluster.Runs("kube-controller-manager"));
  EXPECT_EQ(some.cluster.controllers, (std::vector<std::string>{"*", "-replicaset"}));

  const Scenario scheduler =
      FromSpec(fmt::format("  cluster: {{scheduler: {{guest: {}}}}}\n", SomeFile()));
  EXPECT_FALSE(scheduler.cluster.Runs("kube-scheduler"));
  EXPECT_TRUE(scheduler.cluster.Runs("kube-controller-manager"));
}

TEST(Guests, AnotherProgramThanTheOneMeantIsRefused) {
  const Scenario scenario =
      FromSpec(fmt::format("  cluster: {{guests: [{{name: a, file: {}, hash: \"{}\"}}]}}\n",
                           SomeFile(), std::string(32, '0')));
  EXPECT_NE(PrepareGuests(scenario.cluster).ToString().find("is not the program that was meant"),
            std::string::npos);
}

}  // namespace
}  // namespace ksim::scenario
