// The words for single events that no scenario of the tests comes to.
#include "ksim/cli/story/story_text.h"

#include <gtest/gtest.h>

#include "ksim/cli/story/story_status.h"

namespace ksim::cli {
namespace {

using trace::Record;
using value::Value;

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
