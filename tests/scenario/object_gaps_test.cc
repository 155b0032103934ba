// Gaps of objects: what a run says of those of which it leaves a part out.
#include "ksim/scenario/gaps/object_gaps.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "from_text.h"
#include "ksim/scenario/guest_services.h"
#include "ksim/scenario/not_simulated.h"
#include "ksim/value/json.h"

namespace ksim::scenario {
namespace {

using value::Path;
using value::Value;

std::string SaidOfObjects(const std::string& text) {
  std::string out;
  for (const NotSimulated& one : NotSimulatedIn(Only(LoadText(text)), "test.yaml"))
    out += fmt::format("{}:{} -: {}\n", one.span.line, one.span.column, one.message);
  return out;
}

TEST(ObjectGaps, AStatusThatAServerHasPrintedIsNamedOnceWithTheFlagThatTakesIt) {
  const std::string one =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: NAME, uid: abc}\nspec: {containers: [{name: c, "
      "image: i}]}\nstatus: {phase: Running}\n";
  std::string two = one;
  two.replace(two.find("NAME"), 4, "q");
  std::string text = one;
  text.replace(text.find("NAME"), 4, "p");
  EXPECT_EQ(SaidOfObjects(text + "---\n" + two),
            "5:1 -: a new object has no status, whatever the manifest says: to begin with what "
            "kubectl has printed of a cluster, give the file to --from\n");
  // Somebody wrote this one by hand.
  text.replace(text.find(", uid: abc"), 10, "");
  EXPECT_EQ(SaidOfObjects(text), "");
}

// CRD-16
TEST(ObjectGaps, ADefinitionWhoseVersionsNobodyConvertsIsNamed) {
  const auto definition = [](const std::string& versions) {
    return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: "
           "as.x.io}\nspec:\n  group: x.io\n  scope: Namespaced\n  names: {plural: as, kind: "
           "A}\n  conversion: {strategy: Webhook, webhook: {clientConfig: {url: \"https://c.d\"}, "
           "conversionReviewVersions: [v1]}}\n  versions:\n" +
           versions;
  };
  const std::string v1 =
      "  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n";
  const std::string v2 =
      "  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}\n";
  EXPECT_EQ(SaidOfObjects(definition(v1 + v2)),
            "8:3 -: no guest serves https://c.d, which converts as.x.io: of its versions only v1, "
            "which is stored, can be asked for\n");
  EXPECT_EQ(SaidOfObjects(definition(v1)), "");
  const Value tree = *value::ParseJson(
      R"({"kind":"CustomResourceDefinition","spec":{"conversion":{"strategy":"Webhook"},)"
      R"("versions":[{"name":"v1","storage":true},{"name":"v2"}]}})");
  const Path url{"spec", "conversion", "webhook", "clientConfig", "url"};
  GuestSpec guest;
  guest.name = "c";
  guest.services = {"ops/conv"};
  const auto gap = [&](const char* where) {
    return ConversionGap(tree.Set(url, Value::Of(where)),
                         [&](const apiserver::WebhookTarget& t) { return LeadsTo(guest, t); });
  };
  EXPECT_EQ(gap("https://c:9443/convert"), "");
  EXPECT_EQ(gap("https://c-1/convert"), "");
  EXPECT_EQ(gap("https://conv.ops.svc/convert"), "");
  EXPECT_NE(gap("https://conv.default.svc/convert"), "");
}

}  // namespace
}  // namespace ksim::scenario
