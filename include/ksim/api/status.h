// Status: the API's answer if it is no object (metav1.Status), and Result<T>: an answer or a
// Status.
//
// Source: apimachinery pkg/apis/meta/v1/types.go, pkg/api/errors/errors.go.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/base/internal/rare.h"
#include "ksim/base/internal/shared_text.h"
#include "ksim/value/value.h"

namespace ksim::api {

struct StatusCause {
  StatusCause() = default;
  StatusCause(std::string r, std::string m, std::string f)
      : reason(std::move(r)), message(std::move(m)), field(std::move(f)) {}
  std::string reason;  // FieldValueInvalid, ResourceVersionTooLarge, ...
  std::string message;
  std::string field;  // spec.selector
};

struct StatusDetails {
  StatusDetails() = default;
  SharedText name, group, kind, uid;
  std::vector<StatusCause> causes;
  int retry_after_seconds = 0;
  SharedText continue_token;  // metadata.continue (expired continue, API-49)
  bool written = false;       // also when there is nothing in it
};

struct Status {
  Status() = default;  // Success
  int code = 200;      // 0 for a transport failure
  SharedText reason;   // NotFound, AlreadyExists, Conflict, Expired, Invalid, ...; "" = unmapped
  SharedText message;
  Rare<StatusDetails> details;  // null for most statuses, which are Success

  bool ok() const { return code != 0 && code < 400; }
  value::Value ToTree() const;  // {kind: Status, apiVersion: v1, metadata: {}, ...}
  static Status FromTree(const value::Value& tree);
};

// A resource as error texts name it: plural and group.
struct GroupResource {
  GroupResource() = default;
  GroupResource(std::string g, std::string r) : group(std::move(g)), resource(std::move(r)) {}
  std::string group, resource;
  std::string ToString() const;  // "pods", "replicasets.apps"
};

// Success: the answer to a delete that does not return the object (API-29).
Status Success(const GroupResource& r, std::string_view name, std::string_view uid);

// Constructors with Kubernetes' texts and details (api/errors/errors.go).
Status NotFound(const GroupResource& r, std::string_view name);
Status AlreadyExists(const GroupResource& r, std::string_view name);
// A generated name that exists, with no attempt left; retry after 1 s (API-27).
Status GenerateNameConflict(const GroupResource& r, std::string_view name);
Status Conflict(const GroupResource& r, std::string_view name, std::string_view why);
Status Forbidden(const GroupResource& r, std::string_view name, std::string_view why);
Status Invalid(std::string_view group, std::string_view kind, std::string_view name,
               std::vector<StatusCause> causes);
Status Unauthorized();
Status UnknownPath();  // 404: the server could not find the requested resource
Status BadRequest(std::string_view message);
Status RequestEntityTooLarge(std::string_view message);
Status UnsupportedMediaType(std::string_view message);
Status MethodNotSupported(const GroupResource& r, std::string_view verb);
Status Expired(std::string_view message);                                                   // 410
Status TooLargeResourceVersion(std::int64_t asked, std::int64_t current, int retry_after);  // 504
Status TimeoutError(std::string_view message, int retry_after);                             // 504
Status TooManyRequests(std::string_view message, int retry_after);                          // 429
Status ServerTimeout(const GroupResource& r, std::string_view verb, int retry_after);       // 500
Status InternalError(std::string_view message);       // 500 InternalError
Status Unmapped(int code, std::string_view message);  // reason ""
// The router's own answer to a path, method or form that it has none of (NewGenericServerResponse).
Status RouterAnswer(int code, std::string_view reason, std::string_view message);
Status ServiceUnavailable(std::string_view message);
// Transport failures as a client sees them; code 0, never sent by a server.
Status ConnectionRefused();
Status RequestTimedOut();  // the reply did not come in time: the effect is unknown
Status ConnectionLost();   // the connection ended before the reply: the effect is unknown

// client-go api/errors Is*: by reason, with their fallbacks to the code where reason is unknown.
bool IsNotFound(const Status& s);
bool IsAlreadyExists(const Status& s);
bool IsConflict(const Status& s);
bool IsInvalid(const Status& s);
bool IsForbidden(const Status& s);
bool IsExpired(const Status& s);  // reason Expired
bool IsGone(const Status& s);     // reason Gone
bool IsTooManyRequests(const Status& s);
bool IsInternalError(const Status& s);
bool IsTimeout(const Status& s);
// CLIENT-10. `in_message`: its text may also stand inside the message (client-go from 0.27 on).
bool IsTooLargeResourceVersion(const Status& s, bool in_message = true);
bool IsBadRequest(const Status& s);
bool IsUnauthorized(const Status& s);
bool IsMethodNotSupported(const Status& s);
bool IsServiceUnavailable(const Status& s);
bool IsServerTimeout(const Status& s);  // reason ServerTimeout
// SuggestsClientDelay: seconds to wait before another try; nullopt if the answer asks for none.
std::optional<int> SuggestedDelay(const Status& s);
// Transport failures.
bool IsConnectionRefused(const Status& s);
bool IsRequestTimedOut(const Status& s);
bool IsConnectionLost(const Status& s);
bool HasCause(const Status& s, std::string_view cause_reason);

// An answer or the Status that came instead.
template <class T>
class Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT
  Result(Status status)                          // NOLINT  status must not be ok()
      : status_(std::make_shared<const Status>(std::move(status))) {}
  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_ == nullptr ? kNoError : *status_; }
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return *std::move(value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }

 private:
  inline static const Status kNoError;
  std::optional<T> value_;
  std::shared_ptr<const Status> status_;  // null if there is a value
};

}  // namespace ksim::api
