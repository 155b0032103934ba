// ReviewAnswer: what client-go makes of a webhook's answer to a review of admission or conversion.
//
// Source: client-go rest/request.go transformResponse, Result.Into; apimachinery pkg/api/errors
// NewGenericServerResponse.
#pragma once
#include <string>
#include <string_view>

#include "ksim/apiserver/webhooks.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

// The kind of the review that is asked for: the answer must be one too.
struct ReviewKind {
  ReviewKind(std::string_view g, std::string_view k, std::string_view v)
      : group(g), kind(k), version(v) {}
  std::string_view group, kind, version;
};

struct ReviewAnswer {
  ReviewAnswer() = default;
  value::Value review;  // null also if the answer is a Status that says Success
  std::string problem;  // why there is no review
};
ReviewAnswer ReadReviewAnswer(const WebhookAnswer& answer, const ReviewKind& kind);

// schema.GroupVersionKind.String of what a document says of itself: "example.com/v1, Kind=Toy".
std::string GroupVersionKindText(const value::Value& tree);

}  // namespace ksim::apiserver
