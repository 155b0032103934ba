// The words for single events that no scenario of the tests comes to.
#include "ksim/cli/story/story_text.h"

#include <gtest/gtest.h>

#include "ksim/cli/story/story_status.h"

namespace ksim::cli {
namespace {

using trace::Record;
using value::Value;

Record Conversion(const char* state, const char* result, const char* message) {
  Record r;
  r.kind = sim::EventKind::kWebhook;
  r.actor = "kube-apiserver-0";
  r.Add("request", Value::Of(0)).Add("type", Value::Of("converting"));
  r.Add("configuration", Value::Of("widgets.example.com"));
  r.Add("webhook", Value::Of("default/a to v2")).Add("server", Value::Of("converter"));
  r.Add("state", Value::Of(state)).Add("result", Value::Of(result));
  r.Add("message", Value::Of(message)).Add("latency", Value::Of(4'000'000));
  return r;
}

// A cache asks for conversions too, which is nobody's request: each has its line all the same.
TEST(StoryText, AConversionHasOneLine) {
  const std::vector<Record> events;
  const api::Kinds kinds;
  const StoryStatus status(events);
  const StoryText text(events, kinds, status);
  EXPECT_EQ(text.Describe(Conversion("call", "", "")), "");
  EXPECT_EQ(
      text.Describe(Conversion("answer", "converted", "")),
      "has default/a converted to v2 by the webhook of widgets.example.com at converter after "
      "4ms");
  EXPECT_EQ(text.Describe(Conversion("answer", "failed", "no such version")),
            "asks the webhook of widgets.example.com at converter for default/a at v2, which fails "
            "after 4ms: no such version");
}

// CRD-27: the path of a request for a kind whose plural is not its own.
TEST(StoryText, ARequestHasThePathOfItsKind) {
  Record r;
  r.kind = sim::EventKind::kRequest;
  r.actor = "kubectl";
  r.Add("id", Value::Of(1)).Add("verb", Value::Of("update"));
  r.Add("resource", Value::Of("services.example.com")).Add("namespace", Value::Of("default"));
  r.Add("name", Value::Of("web"));
  const std::vector<Record> events{r};
  api::Kinds kinds;
  kinds.AddGeneric("example.com/v1", "Service");
  const StoryStatus status(events);
  EXPECT_EQ(StoryText(events, kinds, status).Describe(r),
            "PUT /apis/example.com/v1/namespaces/default/services/web");
}

}  // namespace
}  // namespace ksim::cli
