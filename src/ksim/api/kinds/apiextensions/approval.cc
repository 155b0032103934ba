#include "ksim/api/kinds/apiextensions/approval.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "ksim/api/core/go_text.h"
#include "ksim/api/structural/formats.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kApproved = "api-approved.kubernetes.io";
constexpr std::string_view kSee = ", see https://github.com/kubernetes/enhancements/pull/1111";

enum class ApprovalState : std::uint8_t { kInvalid, kApproved, kBypassed, kMissing };

struct Approval {
  ApprovalState state;
  std::string reason;
};

bool IsProtectedGroup(std::string_view group) {
  for (const std::string_view own : {"k8s.io", "kubernetes.io"}) {
    if (group == own || group.ends_with(fmt::format(".{}", own))) return true;
  }
  return false;
}

std::string_view AnnotationOf(const Value& crd) {
  return crd.Get("metadata").Get("annotations").Get(kApproved).AsString();
}

// A URL with a scheme and a host.
bool IsWholeUrl(std::string_view text) {
  const std::size_t host = text.find("://");
  return host != text.npos && host > 0 && text.size() > host + 3 && text[host + 3] != '/' &&
         HasFormat(text, "uri");
}

// GetAPIApprovalState
Approval ApprovalOf(const Value& crd) {
  const std::string_view text = AnnotationOf(crd);
  const std::string must =
      fmt::format("protected groups must have approval annotation {}", GoQuote(kApproved));
  if (text.empty()) return {ApprovalState::kMissing, fmt::format("{}{}", must, kSee)};
  if (text.starts_with("unapproved"))
    return {ApprovalState::kBypassed, fmt::format("not approved: {}", GoQuote(text))};
  if (IsWholeUrl(text)) return {ApprovalState::kApproved, fmt::format("approved in {}", text)};
  return {
      ApprovalState::kInvalid,
      fmt::format("{} with either a URL or a reason starting with \"unapproved\"{}", must, kSee)};
}

}  // namespace

void ValidateApproval(const Value& crd, const Value* old, FieldErrorList* errors) {
  if (!IsProtectedGroup(crd.Get("spec").Get("group").AsString())) return;
  const Approval now = ApprovalOf(crd);
  if (old != nullptr && ApprovalOf(*old).state == now.state) return;
  const FieldPath metadata("metadata");
  const FieldPath annotations = metadata.Child("annotations");
  const FieldPath at = annotations.Key(kApproved);
  if (now.state == ApprovalState::kMissing) errors->Required(at, now.reason);
  if (now.state == ApprovalState::kInvalid) errors->Invalid(at, AnnotationOf(crd), now.reason);
}

std::optional<DefinitionCondition> ApprovalCondition(const Value& crd) {
  if (!IsProtectedGroup(crd.Get("spec").Get("group").AsString())) return std::nullopt;
  Approval now = ApprovalOf(crd);
  DefinitionCondition condition{"KubernetesAPIApprovalPolicyConformant", "False", "",
                                std::move(now.reason)};
  switch (now.state) {
    case ApprovalState::kInvalid:
      condition.reason = "InvalidAnnotation";
      break;
    case ApprovalState::kMissing:
      condition.reason = "MissingAnnotation";
      break;
    case ApprovalState::kBypassed:
      condition.reason = "UnapprovedAnnotation";
      break;
    case ApprovalState::kApproved:
      condition.status = "True";
      condition.reason = "ApprovedAnnotation";
      break;
  }
  return condition;
}

std::optional<Value> WithApproval(const Value& crd, VirtualTime now) {
  const std::optional<DefinitionCondition> condition = ApprovalCondition(crd);
  if (!condition || HasCondition(crd, *condition)) return std::nullopt;
  return WithCondition(crd, *condition, now);
}

}  // namespace ksim::api
