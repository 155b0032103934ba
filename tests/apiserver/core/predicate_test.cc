#include "ksim/apiserver/core/predicate.h"

#include <gtest/gtest.h>

#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

api::Result<Predicate> Make(std::string_view resource, std::string_view ns, std::string_view labels,
                            std::string_view fields) {
  static const api::Kinds kinds;
  api::ListOptions options;
  options.label_selector = labels;
  options.field_selector = fields;
  return Predicate::Make(*kinds.ByName(resource), ns, "", options);
}

struct SelectionRow {
  const char* resource;
  const char* fields;
  const char* error;  // "" = allowed
};

// API-56
// API-57
TEST(Selection, OffersTheFieldsOfTheKind) {
  const std::string generic =
      " is not a known field selector: only \"metadata.name\", \"metadata.namespace\"";
  for (const SelectionRow& row : std::vector<SelectionRow>{
           {"pods", "metadata.name=a,metadata.namespace=b,spec.nodeName=,status.phase!=Failed", ""},
           {"pods",
            "spec.host=n,spec.hostNetwork=true,status.podIP=1,status.nominatedNodeName=", ""},
           {"pods", "spec.foo=1", "field label not supported: spec.foo"},
           {"nodes", "spec.unschedulable=true,metadata.name=n", ""},
           {"nodes", "metadata.namespace=x", "field label not supported: metadata.namespace"},
           {"events", "involvedObject.name=a,reason=b,source=c,type=d,reportingComponent=e", ""},
           {"namespaces", "status.phase=Active", ""},
           {"replicationcontrollers", "status.replicas=1", ""},
           // apps/v1 has no field of its own.
           {"replicasets", "status.replicas=1", "\"status.replicas\""},
           {"jobs", "status.successful=1", ""},
           {"jobs", "spec.x=1", "field label \"spec.x\" not supported for Job"},
           {"services", "spec.clusterIP=x,spec.type=y", ""},
           {"secrets", "type=Opaque", ""},
           {"configmaps", "metadata.name=a", ""},
           {"configmaps", "data=1", "\"data\""}}) {
    const auto p = Make(row.resource, "", "", row.fields);
    EXPECT_EQ(p.ok(), std::string_view(row.error).empty()) << row.resource << " " << row.fields;
    if (p.ok()) continue;
    EXPECT_EQ(p.status().code, 400);
    const bool is_generic = std::string_view(row.error).starts_with('"');
    EXPECT_EQ(p.status().message, row.error + (is_generic ? generic : ""));
  }
}

// API-58
TEST(Selection, RefusesBadSelectors) {
  for (const char* labels : {"a=b=c", "a in", "!", "=x"}) {
    const auto p = Make("pods", "", labels, "");
    ASSERT_FALSE(p.ok()) << labels;
    EXPECT_EQ(p.status().code, 400);
  }
}

// API-59
TEST(Selection, AnUnsetFieldIsTheEmptyText) {
  const api::Object unbound = api::Object::FromTree(Pod("a", "p"));
  const api::Object bound = api::Object::FromTree(Pod("a", "p", "n1"));
  EXPECT_TRUE(Make("pods", "", "", "spec.nodeName=")->Matches(unbound));
  EXPECT_FALSE(Make("pods", "", "", "spec.nodeName=")->Matches(bound));
  EXPECT_TRUE(Make("pods", "", "", "spec.hostNetwork=false")->Matches(bound));
}

// API-53
TEST(Selection, AFieldNarrowsToOneKeyOrNamespace) {
  EXPECT_EQ(Make("pods", "a", "", "metadata.name=x")->SingleKey(), "a/x");
  EXPECT_EQ(Make("pods", "", "", "metadata.name=x")->SingleKey(), "");
  EXPECT_EQ(Make("pods", "", "", "metadata.name=x,metadata.namespace=b")->SingleKey(), "b/x");
  EXPECT_EQ(Make("nodes", "", "", "metadata.name=n")->SingleKey(), "n");
  EXPECT_EQ(Make("pods", "", "", "metadata.namespace=b")->KeyPrefix(), "b/");
  EXPECT_EQ(Make("pods", "", "", "")->KeyPrefix(), "");
}

// WATCH-45
TEST(Selection, AContradictionSelectsNothing) {
  const auto p = Make("pods", "a", "", "metadata.namespace=b");
  ASSERT_TRUE(p.ok());
  EXPECT_TRUE(p->contradictory());
  EXPECT_FALSE(p->Matches(api::Object::FromTree(Pod("a", "p"))));
  EXPECT_FALSE(p->Matches(api::Object::FromTree(Pod("b", "p"))));
}

}  // namespace
}  // namespace ksim::apiserver
