#include "ksim/api/status.h"

#include <fmt/format.h>

#include "ksim/api/core/go_text.h"

namespace ksim::api {

using value::Value;

namespace {

Status Failure(int code, std::string_view reason, std::string message) {
  Status s;
  s.code = code;
  s.reason = reason;
  s.message = message;
  return s;
}

Status About(const GroupResource& r, std::string_view name, Status s) {
  StatusDetails& details = *s.details;
  details.group = r.group;
  details.kind = r.resource;
  details.name = name;
  return s;
}

Value Details(const Status& s) {
  const StatusDetails& d = *s.details;
  value::ObjectBuilder details;
  details.AddIf(!d.name.empty(), "name", Value::Of(d.name));
  details.AddIf(!d.group.empty(), "group", Value::Of(d.group));
  details.AddIf(!d.kind.empty(), "kind", Value::Of(d.kind));
  details.AddIf(!d.uid.empty(), "uid", Value::Of(d.uid));
  if (!d.causes.empty()) {
    std::vector<Value> causes;
    for (const StatusCause& c : d.causes) {
      value::ObjectBuilder cause;
      cause.AddIf(!c.reason.empty(), "reason", Value::Of(c.reason));
      cause.AddIf(!c.message.empty(), "message", Value::Of(c.message));
      cause.AddIf(!c.field.empty(), "field", Value::Of(c.field));
      causes.push_back(cause.Build());
    }
    details.Add("causes", Value::Array(std::move(causes)));
  }
  details.AddIf(d.retry_after_seconds != 0, "retryAfterSeconds", Value::Of(d.retry_after_seconds));
  return details.Build();
}

}  // namespace

Value Status::ToTree() const {
  value::ObjectBuilder metadata;
  metadata.AddIf(!details->continue_token.empty(), "continue", Value::Of(details->continue_token));
  const Value told = Details(*this);
  value::ObjectBuilder tree;
  tree.Add("kind", Value::Of("Status"));
  tree.Add("apiVersion", Value::Of("v1"));
  tree.Add("metadata", metadata.Build());
  tree.Add("status", Value::Of(ok() ? "Success" : "Failure"));
  tree.AddIf(!message.empty(), "message", Value::Of(message));
  tree.AddIf(!reason.empty(), "reason", Value::Of(reason));
  tree.AddIf(!told.empty() || details->written, "details", told);
  tree.AddIf(code != 0, "code", Value::Of(code));
  return tree.Build();
}

Status Status::FromTree(const Value& tree) {
  Status s;
  const bool success = tree.Get("status").AsString() == "Success";
  s.code = static_cast<int>(tree.Get("code").AsInt());
  if (s.code == 0 && success) s.code = 200;
  s.reason = tree.Get("reason").AsString();
  s.message = tree.Get("message").AsString();
  // Mostly there are none of these.
  const std::string_view token = tree.Get("metadata").Get("continue").AsString();
  if (!token.empty()) s.details->continue_token = token;
  const Value& given = tree.Get("details");
  if (given.empty()) return s;
  s.details->name = given.Get("name").AsString();
  s.details->group = given.Get("group").AsString();
  s.details->kind = given.Get("kind").AsString();
  s.details->uid = given.Get("uid").AsString();
  s.details->retry_after_seconds = static_cast<int>(given.Get("retryAfterSeconds").AsInt());
  for (const Value& c : given.Get("causes").items()) {
    s.details->causes.emplace_back(std::string(c.Get("reason").AsString()),
                                   std::string(c.Get("message").AsString()),
                                   std::string(c.Get("field").AsString()));
  }
  return s;
}

std::string GroupResource::ToString() const {
  return group.empty() ? resource : resource + "." + group;
}

Status Success(const GroupResource& r, std::string_view name, std::string_view uid) {
  Status s = About(r, name, Status());
  s.details->uid = uid;
  return s;
}

Status NotFound(const GroupResource& r, std::string_view name) {
  return About(
      r, name,
      Failure(404, "NotFound", fmt::format("{} {} not found", r.ToString(), GoQuote(name))));
}

Status AlreadyExists(const GroupResource& r, std::string_view name) {
  return About(r, name,
               Failure(409, "AlreadyExists",
                       fmt::format("{} {} already exists", r.ToString(), GoQuote(name))));
}

Status GenerateNameConflict(const GroupResource& r, std::string_view name) {
  Status s = AlreadyExists(r, name);
  s.message = s.message + ", the server was not able to generate a unique name for the object";
  s.details->retry_after_seconds = 1;
  return s;
}

Status Conflict(const GroupResource& r, std::string_view name, std::string_view why) {
  return About(r, name,
               Failure(409, "Conflict",
                       fmt::format("Operation cannot be fulfilled on {} {}: {}", r.ToString(),
                                   GoQuote(name), why)));
}

Status Forbidden(const GroupResource& r, std::string_view name, std::string_view why) {
  std::string message;
  if (r.resource.empty() && r.group.empty()) {
    message = fmt::format("forbidden: {}", why);
  } else if (name.empty()) {
    message = fmt::format("{} is forbidden: {}", r.ToString(), why);
  } else {
    message = fmt::format("{} {} is forbidden: {}", r.ToString(), GoQuote(name), why);
  }
  return About(r, name, Failure(403, "Forbidden", std::move(message)));
}

namespace {

// utilerrors.Aggregate.Error: the messages once each, in brackets unless there is only one.
std::string Aggregate(const std::vector<StatusCause>& causes) {
  std::vector<std::string> messages;
  for (const StatusCause& c : causes) {
    std::string message = fmt::format("{}: {}", c.field, c.message);
    bool seen = false;
    for (const std::string& m : messages) seen = seen || m == message;
    if (!seen) messages.push_back(std::move(message));
  }
  if (messages.size() == 1) return messages[0];
  return fmt::format("[{}]", fmt::join(messages, ", "));
}

}  // namespace

Status Invalid(std::string_view group, std::string_view kind, std::string_view name,
               std::vector<StatusCause> causes) {
  const GroupResource qualified{std::string(group), std::string(kind)};
  std::string message = fmt::format("{} {} is invalid", qualified.ToString(), GoQuote(name));
  if (!causes.empty()) message += ": " + Aggregate(causes);
  Status s = About(qualified, name, Failure(422, "Invalid", std::move(message)));
  s.details->causes = std::move(causes);
  return s;
}

Status Unauthorized() { return Failure(401, "Unauthorized", "Unauthorized"); }

Status UnknownPath() {
  return RouterAnswer(404, "NotFound", "the server could not find the requested resource");
}

Status RouterAnswer(int code, std::string_view reason, std::string_view message) {
  Status s = Failure(code, reason, std::string(message));
  s.details->written = true;
  return s;
}

Status BadRequest(std::string_view message) {
  return Failure(400, "BadRequest", std::string(message));
}

Status RequestEntityTooLarge(std::string_view message) {
  return Failure(413, "RequestEntityTooLarge",
                 fmt::format("Request entity too large: {}", message));
}

Status UnsupportedMediaType(std::string_view message) {
  return Failure(415, "UnsupportedMediaType", std::string(message));
}

Status MethodNotSupported(const GroupResource& r, std::string_view verb) {
  return About(r, "",
               Failure(405, "MethodNotAllowed",
                       fmt::format("{} is not supported on resources of kind {}", verb,
                                   GoQuote(r.ToString()))));
}

Status Expired(std::string_view message) { return Failure(410, "Expired", std::string(message)); }

Status TooLargeResourceVersion(std::int64_t asked, std::int64_t current, int retry_after) {
  Status s = TimeoutError(
      fmt::format("Too large resource version: {}, current: {}", asked, current), retry_after);
  s.details->causes.emplace_back("ResourceVersionTooLarge", "Too large resource version", "");
  return s;
}

Status TimeoutError(std::string_view message, int retry_after) {
  Status s = Failure(504, "Timeout", fmt::format("Timeout: {}", message));
  s.details->retry_after_seconds = retry_after;
  return s;
}

Status TooManyRequests(std::string_view message, int retry_after) {
  Status s = Failure(429, "TooManyRequests", std::string(message));
  s.details->retry_after_seconds = retry_after;
  return s;
}

Status ServerTimeout(const GroupResource& r, std::string_view verb, int retry_after) {
  Status s = Failure(500, "ServerTimeout",
                     fmt::format("The {} operation against {} could not be completed at this time, "
                                 "please try again.",
                                 verb, r.ToString()));
  s.details->retry_after_seconds = retry_after;
  return About(r, verb, std::move(s));
}

Status InternalError(std::string_view message) {
  Status s = Failure(500, "InternalError", fmt::format("Internal error occurred: {}", message));
  s.details->causes.emplace_back("", std::string(message), "");
  return s;
}

Status Unmapped(int code, std::string_view message) {
  return Failure(code, "", std::string(message));
}

Status ServiceUnavailable(std::string_view message) {
  return Failure(503, "ServiceUnavailable", std::string(message));
}

}  // namespace ksim::api
