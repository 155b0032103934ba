// ConversionReview: the review that a conversion webhook is sent, and what its answer says.
//
// Source: apiextensions-apiserver pkg/apiserver/conversion/webhook_converter.go
// (createConversionReviewObjects, getConvertedObjectsFromResponse, Convert,
// validateConvertedObject, restoreObjectMeta).
#pragma once
#include <string>
#include <string_view>

#include "ksim/api/compat.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/webhooks.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

// The version of ConversionReview in which a webhook is asked: the first of its
// conversionReviewVersions that this server speaks; "" if there is none.
std::string_view ConversionReviewVersion(const value::Value& review_versions);

// The review as JSON, of one object.
std::string ConversionRequest(std::string_view version, std::string_view uid,
                              std::string_view desired_api_version, const value::Value& object);

// The object as the webhook's answer to the review has converted it, with the metadata of the
// original but for labels and annotations; or 500 with the error that Kubernetes makes of it.
api::Result<value::Value> ReadConversion(const WebhookAnswer& answer, std::string_view version,
                                         std::string_view uid, std::string_view desired_api_version,
                                         const value::Value& original, api::Compat compat);

// The same of a call that did not come through.
api::Status ConversionFailed(const value::Value& original, std::string_view why);

}  // namespace ksim::apiserver
