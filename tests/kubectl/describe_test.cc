// Descriptions and lists of events, byte for byte as kubectl prints them.
#include "ksim/kubectl/describe/describe.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "ksim/api/kinds.h"
#include "ksim/base/os.h"
#include "ksim/kubectl/printing/event_list.h"
#include "ksim/value/yaml.h"

namespace ksim::kubectl {
namespace {

const char kObjects[] = "tests/testdata/describe/objects.yaml";
const char kGolden[] = "tests/testdata/describe/described.out";

// The cluster of the objects of the file, 65 s into a run.
class FileCluster final : public ClusterView {
 public:
  FileCluster() {
    const absl::StatusOr<std::string> text = os::ReadFile(kObjects);
    EXPECT_TRUE(text.ok());
    const value::YamlFile file = value::ParseYaml(*text, kObjects);
    EXPECT_TRUE(file.errors.empty());
    api::Kinds kinds;
    for (const value::YamlNode& document : file.documents) {
      api::Object o = api::Object::FromTree(document.ToValue(), ++version_);
      const std::string_view resource = kinds.AddGeneric(o.api_version(), o.kind())->resource;
      by_key_.insert_or_assign({std::string(resource), std::string(o.ns()), std::string(o.name())},
                               o);
      objects_.push_back(std::move(o));
    }
  }
  const std::vector<api::Object>& objects() const { return objects_; }  // as in the file

  VirtualTime now() const override { return VirtualTime(65'000'000'000); }
  std::vector<api::Object> List(std::string_view resource, std::string_view ns) const override {
    std::vector<api::Object> out;
    for (const auto& [key, object] : by_key_)
      if (std::get<0>(key) == resource && (ns.empty() || std::get<1>(key) == ns))
        out.push_back(object);
    return out;
  }
  api::Object Get(std::string_view resource, std::string_view ns,
                  std::string_view name) const override {
    const auto found = by_key_.find({std::string(resource), std::string(ns), std::string(name)});
    return found == by_key_.end() ? api::Object() : found->second;
  }

 private:
  std::int64_t version_ = 0;
  std::vector<api::Object> objects_;
  std::map<std::tuple<std::string, std::string, std::string>, api::Object> by_key_;
};

// KSIM_UPDATE_GOLDEN=1 rewrites the file; compare the new text with kubectl's source, not with the
// old text.
TEST(Describe, TellsOfEveryKindAsKubectlDoes) {
  const FileCluster cluster;
  std::string text;
  for (const api::Object& o : cluster.objects()) {
    if (o.kind() == "Event" || o.kind() == "EndpointSlice") continue;
    text += "=== " + std::string(o.kind()) + " " + o.key() + "\n" +
            DescribeObject(o, cluster, /*show_events=*/true);
  }
  if (os::Environment("KSIM_UPDATE_GOLDEN").has_value()) {
    ASSERT_TRUE(os::WriteFile(kGolden, text).ok());
  }
  const absl::StatusOr<std::string> golden = os::ReadFile(kGolden);
  ASSERT_TRUE(golden.ok());
  EXPECT_EQ(text, *golden);
}

TEST(Describe, ListsTheEventsOfThisVeryObject) {
  const FileCluster cluster;
  EventSubject subject;
  subject.kind = "Pod";
  subject.name = "web-1";
  EXPECT_EQ(EventsAbout(cluster, subject).size(), 2u);
  subject.uid = "pod-uid";
  ASSERT_EQ(EventsAbout(cluster, subject).size(), 1u);
  EXPECT_EQ(EventsAbout(cluster, subject).front().name(), "web-1.1");
  subject.api_version = "apps/v1";
  EXPECT_TRUE(EventsAbout(cluster, subject).empty());
}

}  // namespace
}  // namespace ksim::kubectl
