// Implements the predicates of status.h, by which a client tells answers apart: by their reason, or
// by their code if it does not know the reason.
#include <algorithm>
#include <array>

#include "ksim/api/status.h"

namespace ksim::api {

namespace {

// Not sent by any server, so in no list of known reasons; code 0 keeps them out of the fallbacks.
constexpr std::string_view kRefused = "ConnectionRefused";
constexpr std::string_view kTimedOut = "RequestTimedOut";
constexpr std::string_view kLost = "ConnectionLost";

bool Known(std::string_view reason) {
  static constexpr std::array<std::string_view, 19> kKnown = {"Unauthorized",
                                                              "Forbidden",
                                                              "NotFound",
                                                              "AlreadyExists",
                                                              "Conflict",
                                                              "Gone",
                                                              "Invalid",
                                                              "ServerTimeout",
                                                              "StorageReadError",
                                                              "Timeout",
                                                              "TooManyRequests",
                                                              "BadRequest",
                                                              "MethodNotAllowed",
                                                              "NotAcceptable",
                                                              "RequestEntityTooLarge",
                                                              "UnsupportedMediaType",
                                                              "InternalError",
                                                              "Expired",
                                                              "ServiceUnavailable"};
  return std::find(kKnown.begin(), kKnown.end(), reason) != kKnown.end();
}

bool ReasonOrCode(const Status& s, std::string_view reason, int code) {
  return s.reason == reason || (!Known(s.reason) && s.code == code);
}

Status Transport(std::string_view reason, std::string_view message) {
  Status s;
  s.code = 0;
  s.reason = reason;
  s.message = message;
  return s;
}

}  // namespace

Status ConnectionRefused() { return Transport(kRefused, "dial tcp: connect: connection refused"); }
Status RequestTimedOut() {
  return Transport(kTimedOut,
                   "net/http: request canceled (Client.Timeout exceeded while awaiting headers)");
}
Status ConnectionLost() { return Transport(kLost, "unexpected EOF"); }

bool IsNotFound(const Status& s) { return ReasonOrCode(s, "NotFound", 404); }
bool IsAlreadyExists(const Status& s) { return s.reason == "AlreadyExists"; }
bool IsConflict(const Status& s) { return ReasonOrCode(s, "Conflict", 409); }
bool IsInvalid(const Status& s) { return ReasonOrCode(s, "Invalid", 422); }
bool IsForbidden(const Status& s) { return ReasonOrCode(s, "Forbidden", 403); }
bool IsExpired(const Status& s) { return s.reason == "Expired"; }
bool IsGone(const Status& s) { return ReasonOrCode(s, "Gone", 410); }
bool IsTooManyRequests(const Status& s) { return s.reason == "TooManyRequests" || s.code == 429; }
bool IsInternalError(const Status& s) { return ReasonOrCode(s, "InternalError", 500); }
bool IsTimeout(const Status& s) { return ReasonOrCode(s, "Timeout", 504); }
bool IsBadRequest(const Status& s) { return ReasonOrCode(s, "BadRequest", 400); }
bool IsUnauthorized(const Status& s) { return ReasonOrCode(s, "Unauthorized", 401); }
bool IsMethodNotSupported(const Status& s) { return ReasonOrCode(s, "MethodNotAllowed", 405); }
bool IsServiceUnavailable(const Status& s) { return ReasonOrCode(s, "ServiceUnavailable", 503); }
bool IsServerTimeout(const Status& s) { return s.reason == "ServerTimeout"; }

bool IsConnectionRefused(const Status& s) { return s.code == 0 && s.reason == kRefused; }
bool IsRequestTimedOut(const Status& s) { return s.code == 0 && s.reason == kTimedOut; }
bool IsConnectionLost(const Status& s) { return s.code == 0 && s.reason == kLost; }

bool IsTooLargeResourceVersion(const Status& s, bool in_message) {
  if (HasCause(s, "ResourceVersionTooLarge")) return true;
  const StatusDetails& d = *s.details;
  const bool details = !d.name.empty() || !d.group.empty() || !d.kind.empty() || !d.uid.empty() ||
                       !d.causes.empty() || d.retry_after_seconds != 0;
  if (!IsTimeout(s) || !details) return false;
  // Servers before 1.19 sent this text.
  constexpr std::string_view kText = "Too large resource version";
  for (const StatusCause& c : s.details->causes) {
    if (c.message == kText) return true;
  }
  return in_message && s.message.view().find(kText) != std::string_view::npos;
}

bool HasCause(const Status& s, std::string_view cause_reason) {
  return std::any_of(s.details->causes.begin(), s.details->causes.end(),
                     [&](const StatusCause& c) { return c.reason == cause_reason; });
}

std::optional<int> SuggestedDelay(const Status& s) {
  if (IsServerTimeout(s) || s.details->retry_after_seconds > 0)
    return s.details->retry_after_seconds;
  return std::nullopt;
}

}  // namespace ksim::api
