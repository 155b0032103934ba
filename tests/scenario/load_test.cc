#include "ksim/scenario/load.h"

#include <gtest/gtest.h>

#include <map>

#include "ksim/base/os.h"
#include "ksim/value/json.h"

namespace ksim::scenario {
namespace {

// The golden files hold the messages that the user sees. KSIM_UPDATE_GOLDEN=1 rewrites them.
void ExpectGolden(const std::string& path, const std::string& text) {
  if (os::Environment("KSIM_UPDATE_GOLDEN").has_value()) {
    ASSERT_TRUE(os::WriteFile(path, text).ok());
    return;
  }
  const absl::StatusOr<std::string> golden = os::ReadFile(path);
  ASSERT_TRUE(golden.ok()) << path;
  EXPECT_EQ(text, *golden) << path;
}

// Files by name.
class FakeFiles {
 public:
  FakeFiles& Add(std::string name, std::string text) {
    files_[std::move(name)] = std::move(text);
    return *this;
  }
  LoadOptions Options() const {
    LoadOptions options;
    options.read = [files = files_](const std::string& path) -> absl::StatusOr<std::string> {
      const auto it = files.find(path);
      if (it == files.end()) return absl::NotFoundError("no such file or directory");
      return it->second;
    };
    return options;
  }

 private:
  std::map<std::string, std::string> files_;
};

std::string AllText(const Loaded& loaded) {
  std::string out = Render(loaded.errors, false, 100);
  out += Render(loaded.warnings, false, 100);
  return out;
}

const std::string kPodFile = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {}\n";
const std::string kScenario = "apiVersion: ksim.dev/v1\nkind: Scenario\n";

// Every file of tests/scenario/bad is refused (or warned about) with the words of its .golden.
// G-IN11: among them are wrong expressions.
TEST(Load, BadFilesGetTheMessagesOfTheirGoldenFiles) {
  const absl::StatusOr<std::vector<std::string>> names =
      os::ListDirectory("tests/scenario/bad", ".yaml");
  ASSERT_TRUE(names.ok());
  ASSERT_GE(names->size(), 13u);
  for (const std::string& name : *names) {
    const std::string path = "tests/scenario/bad/" + name;
    const Loaded loaded = Load({path}, LoadOptions());
    EXPECT_FALSE(AllText(loaded).empty()) << path;
    ExpectGolden(path + ".golden", AllText(loaded));
  }
}

TEST(Load, StrictMakesWarningsErrors) {
  LoadOptions options;
  const Loaded lenient = Load({"tests/scenario/bad/yaml-1.1.yaml"}, options);
  EXPECT_TRUE(lenient.errors.empty());
  EXPECT_FALSE(lenient.warnings.empty());
  options.strict = true;
  const Loaded strict = Load({"tests/scenario/bad/yaml-1.1.yaml"}, options);
  EXPECT_EQ(strict.errors.size(), lenient.warnings.size());
  EXPECT_TRUE(strict.warnings.empty());
}

TEST(Load, AScenarioComesBackFromItsTree) {
  const Loaded loaded = Load({"tests/scenario/good/everything.yaml"}, LoadOptions());
  ASSERT_EQ(AllText(loaded), "");
  ASSERT_EQ(loaded.scenarios.size(), 1u);
  const value::Value tree = ToTree(loaded.scenarios[0]);
  const Loaded again = ParseScenarioTree(tree);
  ASSERT_EQ(AllText(again), "");
  ASSERT_EQ(again.scenarios.size(), 1u);
  EXPECT_EQ(value::ToJson(ToTree(again.scenarios[0])), value::ToJson(tree));
  EXPECT_EQ(again.scenarios[0].steps.size(), 21u);
  EXPECT_EQ(again.scenarios[0].seed, 42u);
  EXPECT_EQ(again.scenarios[0].cluster.NodeNames(),
            (std::vector<std::string>{"big-1", "big-2", "edge"}));
}

TEST(Load, PlainManifestsTogetherAreOneRunOnTheDefaultCluster) {
  FakeFiles files;
  files.Add("dir/a.yaml", kPodFile).Add("b.yaml", kPodFile + "---\n" + kPodFile);
  const Loaded loaded = Load({"dir/a.yaml", "b.yaml"}, files.Options());
  ASSERT_EQ(AllText(loaded), "");
  ASSERT_EQ(loaded.scenarios.size(), 1u);
  const Scenario& s = loaded.scenarios[0];
  EXPECT_EQ(s.name, "a");
  EXPECT_EQ(s.cluster.NodeNames().size(), 3u);
  ASSERT_EQ(s.steps.size(), 2u);
  EXPECT_EQ(s.steps[0].at, Duration());
  EXPECT_EQ(s.steps[1].objects.size(), 2u);
}

TEST(Load, ScenariosAreRunsOfTheirOwn) {
  FakeFiles files;
  files.Add("a.yaml", kScenario).Add("b.yaml", kScenario + "metadata: {name: bee}\n");
  const Loaded loaded = Load({"a.yaml", "b.yaml"}, files.Options());
  ASSERT_EQ(AllText(loaded), "");
  ASSERT_EQ(loaded.scenarios.size(), 2u);
  EXPECT_EQ(loaded.scenarios[0].name, "a");
  EXPECT_EQ(loaded.scenarios[1].name, "bee");
}

TEST(Load, BothKindsInOneCallAreRefused) {
  FakeFiles files;
  files.Add("a.yaml", kScenario).Add("pod.yaml", kPodFile);
  EXPECT_EQ(
      AllText(Load({"a.yaml", "pod.yaml"}, files.Options())),
      "pod.yaml: error: a plain manifest beside the scenario a.yaml\n"
      "      hint: run them separately, or name the manifest in a step: {at: 0s, create: PATH}\n");
}

TEST(Load, FilesAreRelativeToTheScenario) {
  FakeFiles files;
  files.Add("x/s.yaml", kScenario + "spec:\n  steps:\n  - {at: 0s, create: y/pod.yaml}\n");
  EXPECT_NE(AllText(Load({"x/s.yaml"}, files.Options()))
                .find("x/s.yaml:5:22: error: cannot read x/y/pod.yaml: no such file or directory"),
            std::string::npos);
  files.Add("x/y/pod.yaml", kPodFile);
  const Loaded loaded = Load({"x/s.yaml"}, files.Options());
  ASSERT_EQ(AllText(loaded), "");
  ASSERT_EQ(loaded.scenarios[0].steps[0].objects.size(), 1u);
  EXPECT_EQ(loaded.scenarios[0].steps[0].objects[0].Name(), "a");
}

TEST(Load, WithoutStepsDocumentsAreCreatedAtTheStart) {
  for (const char* spec : {"", "spec: {}\n", "spec: {steps: []}\n", "spec:\n  steps:\n"}) {
    FakeFiles files;
    files.Add("s.yaml", kScenario + spec + "---\n" + kPodFile);
    const Loaded loaded = Load({"s.yaml"}, files.Options());
    ASSERT_EQ(AllText(loaded), "") << spec;
    ASSERT_EQ(loaded.scenarios[0].steps.size(), 1u) << spec;
    EXPECT_EQ(loaded.scenarios[0].steps[0].at, Duration()) << spec;
  }
}

TEST(Load, DocumentsThatNoStepNamesAreAnError) {
  FakeFiles files;
  files.Add("s.yaml",
            kScenario + "spec:\n  steps:\n  - {at: 1s, cordon: node-1}\n---\n" + kPodFile);
  EXPECT_NE(AllText(Load({"s.yaml"}, files.Options())).find("no step names the document Pod/a"),
            std::string::npos);
}

TEST(Load, CustomKindsNeedNoDeclarationWhereItIsSaid) {
  FakeFiles files;
  files.Add(
      "s.yaml",
      kScenario +
          "spec:\n  cluster: {anyKind: true}\n  steps:\n  - {at: 0s, create: {documents: all}}\n"
          "  - {at: 1s, delete: {resource: crontabs/a}}\n---\n"
          "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: a}\n");
  EXPECT_EQ(AllText(Load({"s.yaml"}, files.Options())), "");
}

TEST(Load, ListsAreTheirItems) {
  FakeFiles files;
  files.Add("l.yaml",
            "apiVersion: v1\nkind: List\nitems:\n"
            "- {apiVersion: v1, kind: Pod, metadata: {name: a}}\n"
            "- {apiVersion: v1, kind: Pod, metadata: {name: b}}\n");
  const Loaded loaded = Load({"l.yaml"}, files.Options());
  ASSERT_EQ(AllText(loaded), "");
  ASSERT_EQ(loaded.scenarios[0].steps[0].objects.size(), 2u);
  const Manifest& b = loaded.scenarios[0].steps[0].objects[1];
  EXPECT_EQ(SpanOfField(b, "metadata.name").line, 5);
}

// kubectl takes lists as `kubectl get -o yaml` and the API give them, and lists whose items have no
// kind.
TEST(Load, ListsOfOneKindAreTheirItems) {
  FakeFiles files;
  files.Add("l.yaml",
            "apiVersion: v1\nkind: PodList\nitems:\n- {metadata: {name: a}}\n"
            "---\napiVersion: apps/v1\nkind: ReplicaSetList\nmetadata: {resourceVersion: \"1\"}\n"
            "items:\n- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: b}}\n"
            "- {metadata: {name: c}}\n---\napiVersion: v1\nkind: PodList\nitems: []\n");
  const Loaded loaded = Load({"l.yaml"}, files.Options());
  ASSERT_EQ(AllText(loaded), "");
  std::vector<std::string> told;
  for (const Manifest& m : loaded.scenarios[0].steps[0].objects)
    told.push_back(m.ApiVersion() + " " + m.Kind() + " " + m.Name());
  EXPECT_EQ(told,
            (std::vector<std::string>{"v1 Pod a", "apps/v1 ReplicaSet b", "apps/v1 ReplicaSet c"}));
  EXPECT_EQ(SpanOfField(loaded.scenarios[0].steps[0].objects[2], "metadata.name").line, 11);
}

TEST(Load, UnreadableFilesAndEmptyDirectoriesAreTold) {
  EXPECT_EQ(AllText(Load({"no-such-file.yaml"}, LoadOptions())),
            "no-such-file.yaml: error: cannot read it: no such file or directory\n");
  const std::string empty = testing::TempDir() + "empty-directory";
  ASSERT_TRUE(os::MakeDirectories(empty).ok());
  EXPECT_TRUE(Load({empty}, LoadOptions()).nothing);
}

TEST(SpanOfField, IsTheDeepestPartThatIsThere) {
  FakeFiles files;
  files.Add("p.yaml",
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n"
            "  - name: c\n    image: nginx\n");
  const Loaded loaded = Load({"p.yaml"}, files.Options());
  ASSERT_EQ(AllText(loaded), "");
  const Manifest& pod = loaded.scenarios[0].steps[0].objects[0];
  EXPECT_EQ(SpanOfField(pod, "spec.containers[0].image").line, 8);
  EXPECT_EQ(SpanOfField(pod, "spec.containers[0].image").column, 12);
  EXPECT_EQ(SpanOfField(pod, "spec.containers[0].ports").line, 7);
  EXPECT_EQ(SpanOfField(pod, "spec.nodeName").line, 5);
  EXPECT_EQ(SpanOfField(pod, "status").line, 1);
}

}  // namespace
}  // namespace ksim::scenario
