#include "ksim/check/audit/audit_log.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/base/one_of.h"
#include "ksim/base/status.h"
#include "ksim/check/watch_json.h"
#include "ksim/value/json.h"
#include "ksim/value/json_place.h"
#include "ksim/value/json_stream.h"
#include "ksim/value/text.h"
#include "ksim/value/timestamp.h"

namespace ksim::check {
namespace {

using value::Path;
using value::Value;

constexpr std::string_view kGroup = "audit.k8s.io/";
constexpr std::string_view kVersion = "audit.k8s.io/v1";

// The field of an event that is wrong, and why.
struct Problem {
  Path field;
  std::string what;  // "": nothing
};

Problem Wrong(Path field, std::string what) { return Problem{std::move(field), std::move(what)}; }

Problem CheckTime(const Value& event, const char* field, VirtualTime* out) {
  const Value& text = event.Get(field);
  const absl::StatusOr<VirtualTime> time = value::ParseTimestamp(text.AsString());
  if (!time.ok())
    return Wrong({field}, fmt::format("{} is no time such as 2025-01-01T00:00:05.123456Z", field));
  *out = *time;
  return {};
}

// The fields that every event has, and the types of those that it may have.
Problem CheckFields(const Value& event) {
  if (event.Get("kind").AsString() != "Event")
    return Wrong({"kind"}, "want an Event of audit.k8s.io/v1");
  if (event.Get("apiVersion").AsString() != kVersion)
    return Wrong({"apiVersion"}, "only audit.k8s.io/v1 is read, which servers write since 1.12");
  for (const char* field : {"auditID", "verb", "requestURI"})
    if (!event.Get(field).is_string())
      return Wrong({field}, fmt::format("{} is missing or no text", field));
  if (!IsOneOf(event.Get("level").AsString(), {"None", "Metadata", "Request", "RequestResponse"}))
    return Wrong({"level"}, "level is none of Metadata, Request, RequestResponse");
  if (!IsOneOf(event.Get("stage").AsString(),
               {"RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"}))
    return Wrong({"stage"},
                 "stage is none of RequestReceived, ResponseStarted, ResponseComplete, Panic");
  for (const char* field : {"user", "objectRef", "responseStatus"})
    if (event.Has(field) && !event.Get(field).is_object())
      return Wrong({field}, fmt::format("{} is no object", field));
  if (!event.Get("user").Get("username").is_string())
    return Wrong({"user"}, "user.username is missing or no text");
  const Value& code = event.Get("responseStatus").Get("code");
  if (!code.is_null() && !code.is_int())
    return Wrong({"responseStatus", "code"}, "responseStatus.code is no number");
  return {};
}

// The program before its version: kube-controller-manager/v1.36.3 (linux/amd64) ...
std::string_view ProgramOf(std::string_view agent) {
  return agent.substr(0, agent.find_first_of("/ "));
}

std::string ClientOf(const Value& event) {
  const Value& as = event.Get("impersonatedUser").Get("username");
  const std::string_view user =
      (as.is_string() ? as : event.Get("user").Get("username")).AsString();
  const std::string_view program = ProgramOf(event.Get("userAgent").AsString());
  return program.empty() || user.ends_with(program) ? std::string(user)
                                                    : fmt::format("{} ({})", user, program);
}

void FillReference(const Value& ref, AuditEvent* out) {
  const std::string_view group = ref.Get("apiGroup").AsString();
  out->resource = ref.Get("resource").AsString();
  if (!group.empty()) out->resource += fmt::format(".{}", group);
  out->ns = ref.Get("namespace").AsString();
  out->name = ref.Get("name").AsString();
  out->subresource = ref.Get("subresource").AsString();
  out->uid = ref.Get("uid").AsString();
  out->resource_version = ref.Get("resourceVersion").AsString();
}

Problem ReadEvent(const Value& event, AuditEvent* out) {
  if (Problem problem = CheckFields(event); !problem.what.empty()) return problem;
  Problem time = CheckTime(event, "requestReceivedTimestamp", &out->received);
  if (time.what.empty()) time = CheckTime(event, "stageTimestamp", &out->completed);
  if (!time.what.empty()) return time;
  out->id = event.Get("auditID").AsString();
  out->verb = event.Get("verb").AsString();
  out->uri = event.Get("requestURI").AsString();
  out->client = ClientOf(event);
  out->code = event.Get("responseStatus").Get("code").AsInt();
  out->request = event.Get("requestObject");
  out->response = event.Get("responseObject");
  FillReference(event.Get("objectRef"), out);
  // A generated name stands in the answer alone.
  if (out->name.empty() && out->verb == "create" && out->succeeded())
    out->name = out->response.Get("metadata").Get("name").AsString();
  return {};
}

// Reads the objects of a text one after the other.
class Reader {
 public:
  Reader(std::string_view text, const std::function<void(const AuditEvent&)>& take,
         std::string* missing)
      : text_(text), places_(text), take_(take), missing_(missing) {}

  absl::Status Read() {
    for (std::size_t at = 0; (at = text_.find_first_not_of(" \t\r\n", at)) != text_.npos;) {
      if (text_[at] != '{') return At(at, "expected '{', the beginning of an audit event");
      const std::size_t length = value::JsonObjectLength(text_.substr(at));
      if (length == std::string_view::npos) return EndsWithin(at);
      RETURN_IF_ERROR(ReadObject(at, length));
      at += length;
    }
    if (events_ == 0) return At(0, "there is no audit event in it");
    return absl::OkStatus();
  }

 private:
  absl::Status At(std::size_t offset, std::string_view what) {
    const value::LineColumn place = value::PlaceOf(text_, offset);
    return absl::InvalidArgumentError(
        fmt::format("line {} column {}: {}", place.line, place.column, what));
  }

  // A log that is still being written, or whose end was cut off, ends within its last line.
  absl::Status EndsWithin(std::size_t at) {
    if (events_ == 0 || text_.find('\n', at) != std::string_view::npos)
      return At(at, "this object does not end");
    *missing_ = fmt::format("cut in the middle of the event in line {}; {} before it can be read",
                            value::PlaceOf(text_, at).line, events_);
    return absl::OkStatus();
  }

  absl::Status ReadObject(std::size_t at, std::size_t length) {
    const std::string_view json = text_.substr(at, length);
    const absl::StatusOr<Value> object = value::ParseJson(json);
    if (!object.ok()) {
      std::string_view what = Message(object.status());
      const Span error = TakePlace(&what);
      const value::LineColumn begin = value::PlaceOf(text_, at);
      return absl::InvalidArgumentError(
          fmt::format("line {} column {}: {}", begin.line + error.line - 1,
                      error.line == 1 ? begin.column + error.column - 1 : error.column, what));
    }
    const int line = places_.Of(at).line;
    if (object->Get("kind").AsString() != "EventList") return Take(*object, {}, json, at, line);
    for (std::size_t i = 0; i < object->Get("items").size(); ++i) {
      const Path prefix{"items", value::PathStep::Index(static_cast<std::uint32_t>(i))};
      RETURN_IF_ERROR(Take(object->Get("items").at(i), prefix, json, at, line));
    }
    return absl::OkStatus();
  }

  absl::Status Take(const Value& event, const Path& prefix, std::string_view json, std::size_t at,
                    int line) {
    AuditEvent out;
    out.line = line;
    const Problem problem = ReadEvent(event, &out);
    if (!problem.what.empty()) {
      Path place = prefix;
      for (const value::PathStep& step : problem.field.steps()) place = place.Child(step);
      return At(at + value::FindInJson(json, place).begin, problem.what);
    }
    ++events_;
    if (event.Get("stage").AsString() == "ResponseComplete") take_(out);
    return absl::OkStatus();
  }

  std::string_view text_;
  value::Places places_;
  const std::function<void(const AuditEvent&)>& take_;
  std::string* missing_;
  std::size_t events_ = 0;
};

}  // namespace

std::string AuditEvent::Object() const {
  std::string out = resource;
  if (!subresource.empty()) out += fmt::format("/{}", subresource);
  out += ' ';
  if (!ns.empty()) out += ns + "/";
  return out + name;
}

std::string AuditEvent::Place() const {
  return fmt::format("line {} ({}, auditID {})", line, value::FormatMicroTime(completed), id);
}

absl::Status ReadAuditLog(std::string_view text, const std::function<void(const AuditEvent&)>& take,
                          std::string* missing) {
  return Reader(text, take, missing).Read();
}

bool IsAuditLog(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || text[begin] != '{') return false;
  text.remove_prefix(begin);
  const absl::StatusOr<Value> first =
      value::ParseJson(text.substr(0, value::JsonObjectLength(text)));
  return first.ok() && first->Get("apiVersion").AsString().starts_with(kGroup);
}

}  // namespace ksim::check
