#include "ksim/apiserver/doors/http/negotiation.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ksim::apiserver::http {
namespace {

// The form of an answer as one word: json, yaml+pretty, json:Table; "406: ..." without one.
std::string Negotiate(std::string_view accept, bool stream = false, std::string_view query = "",
                      Transforms transforms = Transforms::kResources,
                      std::span<const MediaType> supported = BuiltinMediaTypes()) {
  HttpRequest request;
  if (!accept.empty()) request.headers.Add("accept", accept);
  const auto type = NegotiateOutput(request, ParseQuery(query), supported, transforms, stream);
  if (!type.ok()) {
    return std::to_string(type.status().code) + ": " + std::string(type.status().message.view());
  }
  std::string word(type->media->subtype);
  if (!type->as.empty()) word += ":" + type->as;
  return word + (type->pretty ? "+pretty" : "");
}

struct NegotiationRow {
  const char* accept;
  const char* form;
};

// API-148
TEST(Negotiation, FindsTheFormOfAnAnswer) {
  for (const NegotiationRow& row : std::vector<NegotiationRow>{
           {"", "json"},
           {"*/*", "json"},
           {"*", "json"},
           {"application/*", "json"},
           {"application/json", "json"},
           {"application/yaml", "yaml"},
           {"application/vnd.kubernetes.protobuf", "vnd.kubernetes.protobuf"},
           {"application/vnd.kubernetes.protobuf, */*", "vnd.kubernetes.protobuf"},
           {"application/vnd.kubernetes.protobuf,application/json", "vnd.kubernetes.protobuf"},
           {"text/html, application/yaml", "yaml"},
           {"application/json;q=0.5, application/yaml", "yaml"},
           {"application/json;q=0.1, application/yaml;q=0.12", "yaml"},
           {"application/json; pretty=1", "json+pretty"},
           {"application/json;as=Table;v=v1;g=meta.k8s.io,application/json", "json:Table"},
           {"application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json", "json:Table"},
           {"application/json;as=Table;v=v2;g=meta.k8s.io,application/json", "json"},
           {"application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json",
            "json"},
           {"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
            "vnd.kubernetes.protobuf:PartialObjectMetadata"},
           {"application/json;sv=v1", "json"},
           {"application/json;sv=v2,application/yaml", "yaml"},
       }) {
    EXPECT_EQ(Negotiate(row.accept), row.form) << row.accept;
  }
}

// API-148
TEST(Negotiation, SaysWhichFormsThereAre) {
  const std::string all =
      "406: only the following media types are accepted: application/json, application/yaml, "
      "application/vnd.kubernetes.protobuf";
  EXPECT_EQ(Negotiate("text/html"), all);
  EXPECT_EQ(Negotiate("application/json;as=Table;v=v1;g=x"), all);
  EXPECT_EQ(Negotiate("application/yaml", true),
            "406: only the following media types are accepted: application/json;stream=watch, "
            "application/vnd.kubernetes.protobuf;stream=watch");
  EXPECT_EQ(Negotiate("application/vnd.kubernetes.protobuf", false, "", Transforms::kResources,
                      CustomMediaTypes()),
            "406: only the following media types are accepted: application/json, "
            "application/yaml, application/vnd.kubernetes.protobuf");
}

TEST(Negotiation, IsPrettyForPeople) {
  EXPECT_EQ(Negotiate("", false, "pretty=true"), "json+pretty");
  EXPECT_EQ(Negotiate("", false, "pretty=0"), "json");
  HttpRequest request;
  request.headers.Add("User-Agent", "curl/8.0");
  EXPECT_TRUE(NegotiateOutput(request, {}, BuiltinMediaTypes(), Transforms::kNone, false)->pretty);
  EXPECT_FALSE(NegotiateOutput(request, ParseQuery("pretty=false"), BuiltinMediaTypes(),
                               Transforms::kNone, false)
                   ->pretty);
}

// API-148
TEST(Negotiation, ReadsTheFormOfABody) {
  const auto form = [](std::string_view type) -> std::string {
    const auto media = NegotiateInput(type, BuiltinMediaTypes());
    return media.ok() ? std::string((*media)->subtype) : std::to_string(media.status().code);
  };
  EXPECT_EQ(form(""), "json");
  EXPECT_EQ(form("application/json; charset=utf-8"), "json");
  EXPECT_EQ(form("Application/YAML"), "yaml");
  EXPECT_EQ(form("application/vnd.kubernetes.protobuf"), "vnd.kubernetes.protobuf");
  EXPECT_EQ(form("text/plain"), "415");
  EXPECT_EQ(form("application"), "415");
  EXPECT_EQ(form("a b/c"), "415");
}

}  // namespace
}  // namespace ksim::apiserver::http
