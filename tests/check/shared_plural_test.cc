// Two kinds with one plural in two groups are two to traces, laws and oracles: nobody takes what
// happens to one for the other's, and who does wrong with one of them is found.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "ksim/base/os.h"
#include "ksim/check/trace_law.h"
#include "ksim/store/object_key.h"
#include "recorded.h"

namespace ksim::check {
namespace {

const std::string kKnown = "services.serving.knative.dev";

const Trace& Base() {
  static const Trace& trace =
      *new Trace(RunOf(*os::ReadFile("tests/regress/two-kinds-of-one-plural.yaml"), "1.36"));
  return trace;
}

// CRD-27
TEST(SharedPlural, ATraceTellsTheKindsApart) {
  std::map<std::string, std::set<std::string>> names;  // by the group in keys
  for (const Record& r : Base().events) {
    const auto parts = store::PartsOfKey(r.Text("key"));
    if (r.kind == sim::EventKind::kCommit && parts && !parts->group.empty())
      names[std::string(parts->group)].insert(std::string(r.Text("resource")));
  }
  EXPECT_EQ(names["serving.knative.dev"], std::set<std::string>{kKnown});
  EXPECT_EQ(names["a.example.com"], std::set<std::string>{"widgets"});
  EXPECT_EQ(names["b.example.com"], std::set<std::string>{"widgets.b.example.com"});
  EXPECT_EQ(Messages(Base()), "");
  const auto has = [](const Is& is) { return Find(Base(), is) < Base().events.size(); };
  for (const sim::EventKind kind :
       {sim::EventKind::kRequest, sim::EventKind::kWatch, sim::EventKind::kEvent,
        sim::EventKind::kDeliver, sim::EventKind::kHandler, sim::EventKind::kRelist})
    EXPECT_TRUE(has([kind](const Record& r) {
      return r.kind == kind && r.Text("resource") == kKnown;
    })) << static_cast<int>(kind);
  // Records of etcd's watches have a key instead, and say what the key does not.
  EXPECT_TRUE(has([](const Record& r) {
    return r.kind == sim::EventKind::kDeliver && r.Text("knownAs") == kKnown;
  }));
  EXPECT_FALSE(has([](const Record& r) {
    return !r.Text("knownAs").empty() && r.Text("key").starts_with("/registry/services/");
  }));
}

std::string Contradictions(const Trace& trace) {
  const auto checker = CheckTrace(trace, {"*"});
  if (!checker.ok()) return "BAD TRACE";
  std::string out;
  for (const Finding& f : ContradictionsIn(trace, **checker)) out += f.violation.message + "\n";
  return out;
}

// CRD-27: the laws of traces know both names, and no third; and one resource has one name.
TEST(SharedPlural, ATraceThatMixesTheNamesContradictsItself) {
  const Is commit = [](const Record& r) {
    return r.kind == sim::EventKind::kCommit && r.Text("resource") == kKnown;
  };
  EXPECT_EQ(Contradictions(Base()).find("the resource is"), std::string::npos);
  EXPECT_EQ(Contradictions(Base()).find("the name of the resource"), std::string::npos);
  for (const char* name : {"services", "services.example.com"}) {
    Trace trace = Base();
    SetField(Last(&trace, commit), "resource", Value::Of(name));
    EXPECT_NE(
        Contradictions(trace).find("the name of the resource is \"" + std::string(name) + "\""),
        std::string::npos)
        << name;
  }
}

// CRD-27: an informer of one kind that misses a deletion is found, and the other kind's is not.
TEST(SharedPlural, AWrongConsumerOfOneOfThemIsFound) {
  for (const std::string& resource : {kKnown, std::string("services")}) {
    Trace trace = Base();
    const std::string kcm = "kube-controller-manager";
    for (const Is& is :
         {DeliverTo(kcm, resource, "DELETED"), Handler(kcm + " " + resource, "delete")}) {
      const std::size_t at = Find(trace, is);
      ASSERT_LT(at, trace.events.size()) << resource;
      trace.events.erase(trace.events.begin() + static_cast<std::ptrdiff_t>(at));
    }
    const std::string said = Messages(trace);
    EXPECT_NE(said.find(kcm + " " + resource + ":"), std::string::npos) << said;
    const std::string other = resource == kKnown ? "services" : kKnown;
    EXPECT_EQ(said.find(kcm + " " + other + ":"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace ksim::check
