// Review: the AdmissionReview that a webhook is sent, and what its answer says.
//
// Source: apiserver pkg/admission/plugin/webhook/request/admissionreview.go, errors/statuserror.go.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/status.h"
#include "ksim/apiserver/admission/webhook/matching.h"
#include "ksim/apiserver/core/profile.h"
#include "ksim/apiserver/webhooks.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

// The version of AdmissionReview in which the webhook is asked: the first of its own that this
// server speaks; "" if there is none.
std::string_view ReviewVersion(const Hook& hook);

// The AdmissionReview as JSON. `object` and `old` are in the form of Go, at the version of the
// invocation's resource; null if there is none.
std::string ReviewRequest(std::string_view version, std::string_view uid, const Attributes& a,
                          const Invocation& invocation, const value::Value& object,
                          const value::Value& old);

// The name and namespace of a request as those who judge it are told: also of a new object, whose
// URL has none; a Namespace is in itself.
std::string ReviewedName(const Attributes& a, const value::Value& object);
std::string ReviewedNamespace(const Attributes& a);
// AdmissionReview's request, at that resource, without its uid and objects.
value::Value ReviewedRequest(const Attributes& a, const api::ResourceInfo& asked);

// A webhook's verdict, or why there is none.
struct ReviewVerdict {
  ReviewVerdict() = default;
  static ReviewVerdict Failed(std::string why);

  std::string failure;  // why the call failed: what follows `failed calling webhook "x": `
  api::Status error;    // an error of the server itself, whatever the failure policy says
  bool allowed = false;
  api::Status denial;  // if it is not allowed
  value::Value patch;  // a list of operations; null or empty: nothing changes
  std::string patch_type;
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::string>> annotations;  // for the audit log
};

// Reads the answer to the review of that version and uid (VerifyAdmissionResponse).
ReviewVerdict ReadAnswer(const WebhookAnswer& answer, std::string_view version,
                         std::string_view uid, std::string_view webhook, bool mutating,
                         const Profile& profile);

// ToStatusErr: the answer to a request that a webhook denies, made of its result.
api::Status DeniedBy(std::string_view webhook, const value::Value& result);

}  // namespace ksim::apiserver
