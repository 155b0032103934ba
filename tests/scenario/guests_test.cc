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

TEST(Guests, HaveABoundOfMemory) {
  const auto spec = [](const char* more) {
    return fmt::format("  cluster: {{guests: [{{name: a, file: {}{}}}]}}\n", SomeFile(), more);
  };
  EXPECT_EQ(FromSpec(spec("")).cluster.guests[0].memory, std::int64_t{1} << 30);
  const Scenario small = FromSpec(spec(", memory: 256Mi"));
  EXPECT_EQ(small.cluster.guests[0].memory, std::int64_t{256} << 20);
  EXPECT_EQ(Only(ParseScenarioTree(ToTree(small))).cluster.guests[0].memory,
            std::int64_t{256} << 20);
  EXPECT_EQ(GuestOptionsOf(small.compat, small.cluster.guests[0], 0).limits.memory,
            std::size_t{256} << 20);
  for (const char* bad : {", memory: 5Gi", ", memory: '0'", ", memory: much"})
    EXPECT_NE(ErrorsOf(spec(bad)).find("guests[0].memory: "), std::string::npos) << bad;
}

TEST(Guests, NameTheServicesThatLeadToThem) {
  const auto spec = [](const char* service) {
    return fmt::format("  cluster: {{guests: [{{name: a, file: {}, services: [{}]}}]}}\n",
                       SomeFile(), service);
  };
  const Scenario scenario = FromSpec(spec("system/hooks"));
  EXPECT_EQ(Only(ParseScenarioTree(ToTree(scenario))).cluster.guests[0].services,
            std::vector<std::string>{"system/hooks"});
  EXPECT_NE(ErrorsOf(spec("hooks")).find("\"hooks\" is no NAMESPACE/NAME of a service"),
            std::string::npos);
}

// A campaign writes scenarios and traces into a folder of its own.
TEST(Guests, AreFoundFromAnotherFolder) {
  GuestSpec guest;
  guest.file = "manager.wasm";
  guest.path = "operator/manager.wasm";  // beside operator/scenario.yaml
  EXPECT_EQ(GuestFileFrom("found/a-failure", guest), "../../operator/manager.wasm");
  EXPECT_EQ(GuestFileFrom("operator/found/a-failure", guest), "../../manager.wasm");
  guest.file = guest.path = "/opt/manager.wasm";
  EXPECT_EQ(GuestFileFrom("found/a-failure", guest), "/opt/manager.wasm");

  // A relative name is looked for in that folder.
  const std::string file = SomeFile();
  const std::size_t slash = file.rfind('/');
  Scenario scenario;
  scenario.cluster.guests.emplace_back();
  scenario.cluster.guests[0].name = "a";
  scenario.cluster.guests[0].file = file.substr(slash + 1);
  scenario.cluster.guests[0].hash = std::string(32, '0');
  const Loaded loaded = ParseScenarioTree(ToTree(scenario), DirectoryOf(file));
  ASSERT_TRUE(loaded.errors.empty()) << Render(loaded.errors, false);
  EXPECT_EQ(loaded.scenarios[0].cluster.guests[0].path, file);
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
