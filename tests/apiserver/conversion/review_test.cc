// Reviews of conversion: what is asked, and what each wrong answer means.
#include "ksim/apiserver/conversion/review.h"

#include <gtest/gtest.h>

#include <string>

#include "ksim/value/json.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using value::Value;

const Value& Original() {
  static const Value toy = Json(
      R"({"apiVersion":"x.io/v1","kind":"Toy","metadata":{"name":"a","namespace":"d","uid":"u",)"
      R"("labels":{"l":"1"},"generation":3},"spec":{"size":1}})");
  return toy;
}

std::string Answer(const std::string& response, const std::string& version = "v1") {
  return R"({"apiVersion":"apiextensions.k8s.io/)" + version +
         R"(","kind":"ConversionReview","response":)" + response + "}";
}

// A good answer, with one object.
std::string Converted(const std::string& object) {
  return Answer(R"({"uid":"r","result":{"status":"Success"},"convertedObjects":[)" + object + "]}");
}

std::string Toy(const std::string& metadata, const std::string& version = "x.io/v2",
                const std::string& kind = "Toy") {
  return R"({"apiVersion":")" + version + R"(","kind":")" + kind + R"(","metadata":)" + metadata +
         R"(,"spec":{"measure":{"size":1}}})";
}

constexpr const char* kMeta = R"({"name":"a","namespace":"d","uid":"u")";

api::Result<Value> Read(const std::string& body, const std::string& version = "v1",
                        int status = 200) {
  return ReadConversion(WebhookAnswer(body, status), version, "r", "x.io/v2", Original(),
                        api::Compat::k1_36);
}

TEST(ConversionReview, SaysWhatIsToBecomeOfAnObject) {
  EXPECT_EQ(ConversionRequest("v1", "r", "x.io/v2", Json(R"({"kind":"Toy"})")),
            R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":)"
            R"({"desiredAPIVersion":"x.io/v2","objects":[{"kind":"Toy"}],"uid":"r"},"response":)"
            R"({"convertedObjects":null,"result":{"metadata":{}},"uid":""}})");
  EXPECT_EQ(ConversionReviewVersion(Json(R"(["v2","v1beta1","v1"])")), "v1beta1");
  EXPECT_EQ(ConversionReviewVersion(Json(R"(["v2"])")), "");
}

// CRD-24
TEST(ConversionReview, LabelsAndAnnotationsAloneAreTheWebhooksOfTheMetadata) {
  const api::Result<Value> read = Read(Converted(
      Toy(std::string(kMeta) + R"(,"generation":7,"annotations":{"x":"y"},"finalizers":["f"]})")));
  ASSERT_TRUE(read.ok()) << read.status().message;
  EXPECT_EQ(*read, Json(R"({"apiVersion":"x.io/v2","kind":"Toy","metadata":{"name":"a",)"
                        R"("namespace":"d","uid":"u","generation":3,"annotations":{"x":"y"}},)"
                        R"("spec":{"measure":{"size":1}}})"));
}

// CRD-24: the texts of webhook_converter.go.
TEST(ConversionReview, EachWrongAnswerHasItsText) {
  const std::string meta(kMeta);
  const std::string failed = "conversion webhook for x.io/v1, Kind=Toy failed: ";
  const std::string returned = "conversion webhook for x.io/v1, Kind=Toy returned ";
  const struct {
    std::string body, text;
  } rows[] = {
      {"", failed + "0-length response with status code: 200 and content type: application/json"},
      {"{", failed + "couldn't get version/kind; json parse error: unexpected end of JSON input"},
      {R"({"kind":"Pod","apiVersion":"v1"})",
       failed + "no kind \"Pod\" is registered for version \"v1\" in scheme "
                "\"pkg/runtime/scheme.go:100\""},
      {R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no"})", failed + "no"},
      {R"({"kind":"Status","apiVersion":"v1","status":"Success"})",
       failed + "expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got "
                "/, Kind="},
      {Answer("null"), failed + "no response provided"},
      {Answer("{}"), failed + "expected response.uid=\"r\", got \"\""},
      {Answer(R"({"uid":"s"})"), failed + "expected response.uid=\"r\", got \"s\""},
      {Answer(R"({"uid":"r","result":{}})"),
       failed + "response.result.status was '', not 'Success'"},
      {Answer(R"({"uid":"r","result":{"status":"Failure"}})"),
       failed + "response.result.status was 'Failure', not 'Success'"},
      {Answer(R"({"uid":"r","result":{"status":"Failure","message":"too big"}})"),
       failed + "too big"},
      {Answer(R"({"uid":"r","result":{"status":"Success"}})"), returned + "0 objects, expected 1"},
      {Converted(Toy(meta + "}") + "," + Toy(meta + "}")), returned + "2 objects, expected 1"},
      {Converted("null"), "unexpected end of JSON input"},
      {Converted(R"({"a":1})"), R"(Object 'Kind' is missing in '{"a":1}')"},
      {Converted(Toy(meta + "}", "x.io/v1")),
       returned + "invalid object at index 0: invalid groupVersion (expected x.io/v2, received "
                  "x.io/v1)"},
      {Converted(Toy(meta + "}", "x.io/v2", "Ball")),
       returned + "invalid object at index 0: invalid kind (expected Toy, received Ball)"},
      {Converted(Toy(R"({"name":"b"})")),
       returned + "invalid object: must have the same name: a != b"},
      {Converted(Toy(R"({"name":"a"})")),
       returned + "invalid object: must have the same namespace: d != "},
      {Converted(Toy(R"({"name":"a","namespace":"d","uid":"v"})")),
       returned + "invalid object: must have the same UID: u != v"},
      {Converted(Toy(meta + R"(,"labels":[]})")),
       returned +
           "invalid metadata: invalid metadata.labels of type []interface {} in converted object"},
      {Converted(Toy(meta + R"(,"labels":{"l":1}})")),
       returned +
           "invalid metadata: metadata.labels[l] must be a string, but is int64 in converted "
           "object"},
      {Converted(Toy(meta + R"(,"annotations":{"x":null}})")),
       returned +
           "invalid metadata: metadata.annotations[x] must be a string, but is <nil> in converted "
           "object"},
  };
  for (const auto& row : rows) {
    const api::Result<Value> read = Read(row.body);
    ASSERT_FALSE(read.ok()) << row.body;
    EXPECT_EQ(read.status().message.str(), row.text) << row.body;
    EXPECT_EQ(read.status().code, 500);
    EXPECT_EQ(read.status().reason, "");
  }
  const std::string bad_label =
      Read(Converted(Toy(meta + R"(,"labels":{"-":"x"}})"))).status().message.str();
  EXPECT_TRUE(bad_label.starts_with(returned + "invalid metadata: metadata.labels: Invalid value: "
                                               "\"-\": name part must consist of"))
      << bad_label;
  const std::string bad_annotation =
      Read(Converted(Toy(meta + R"(,"annotations":{"-":"x"}})"))).status().message.str();
  EXPECT_TRUE(bad_annotation.starts_with(returned + "invalid metadata: metadata.annotation: "))
      << bad_annotation;
  EXPECT_EQ(Read("no", "v1", 503).status().message.str(),
            failed + "the server is currently unable to handle the request");
}

// CRD-24: v1beta1 looked at neither uid nor kind.
TEST(ConversionReview, TheOldVersionIsNotVerified) {
  const std::string toy = Toy(std::string(kMeta) + "}");
  const std::string answer = Answer(
      R"({"uid":"s","result":{"status":"Success"},"convertedObjects":[)" + toy + "]}", "v1beta1");
  EXPECT_TRUE(Read(answer, "v1beta1").ok());
  EXPECT_EQ(Read(Answer("null", "v1beta1"), "v1beta1").status().message.str(),
            "conversion webhook for x.io/v1, Kind=Toy failed: no response provided");
}

}  // namespace
}  // namespace ksim::apiserver
