#include "ksim/fault/request_verbs.h"

#include <fmt/format.h>

namespace ksim::fault {
namespace {

using client::Mishap;

// The name in the URL; of a create, which has none there, that in the body, or what it is to begin
// with (apiserver pkg/admission/errors.go, extractResourceName).
std::string NameIn(const api::Request& q) {
  std::string_view name = q.name;
  const value::Value& metadata = q.body.Get("metadata");
  if (name.empty()) name = metadata.Get("name").AsString();
  if (name.empty()) name = metadata.Get("generateName").AsString();
  return std::string(name);
}

// A name that was made up is no fault of who asked (registry/rest/create.go,
// CheckGeneratedNameError).
api::Status AlreadyThere(const api::GroupResource& resource, const api::Request& q) {
  const std::string name = NameIn(q);
  const bool generated = q.body.Get("metadata").Get("name").AsString().empty();
  return generated ? api::GenerateNameConflict(resource, name) : api::AlreadyExists(resource, name);
}

// Refusals that are about no object.
api::Status PlainRefusal(int code) {
  constexpr std::string_view kWhy = "a fault rejected the write";
  switch (code) {
    case 400:
      return api::BadRequest(kWhy);
    case 401:
      return api::Unauthorized();
    case 410:
      return api::Expired("the resource version is too old");
    case 413:
      return api::RequestEntityTooLarge(kWhy);
    case 415:
      return api::UnsupportedMediaType(kWhy);
    case 429:
      return api::TooManyRequests("Too many requests, please try again later.", 1);
    case 503:
      return api::ServiceUnavailable("the server is currently unable to handle the request");
    case 504:
      return api::TimeoutError("request did not complete within the allotted timeout", 0);
    case 500:
      return api::InternalError(kWhy);
    default:
      return api::Unmapped(code, kWhy);
  }
}

// The answer of code `code` as the API server words it.
api::Status Refusal(int code, const api::Request& q) {
  const api::GroupResource resource(q.resource->group, q.resource->resource);
  const std::string name = NameIn(q);
  switch (code) {
    case 403:
      return api::Forbidden(resource, name, "a fault refuses it");
    case 404:
      return api::NotFound(resource, name);
    case 409:
      return q.verb == api::Verb::kCreate && q.subresource.empty()
                 ? AlreadyThere(resource, q)
                 : api::Conflict(resource, name,
                                 "the object has been modified; please apply your changes to the "
                                 "latest version and try again");
    case 405:
      return api::MethodNotSupported(resource, api::ToString(q.verb));
    case 422:
      return api::Invalid(q.resource->group, q.resource->kind, name, {});
    default:
      return PlainRefusal(code);
  }
}

// The next write of the client that fits meets with `mishap`.
FaultEffect NextWrite(FaultCall& call, std::function<Mishap(const api::Request&)> mishap) {
  const std::string client = call.Text("client"), verb = call.Text("verb");
  const api::ResourceInfo* r = call.Resource();
  if (call.Process("client") == nullptr || (call.Has("resource") && r == nullptr))
    return Skipped(fmt::format("there is no {}", TargetOf(call.spec())));
  call.Begin();
  client::FaultHooks& hooks = call.cluster().fault_hooks();
  auto struck = std::make_shared<bool>(false);
  const int judge = hooks.AddJudge([=, tell = call.Struck()](const api::Request& q) {
    const bool fits = !*struck && q.client == client && IsWrite(q.verb) &&
                      (verb.empty() || api::ToString(q.verb) == verb) &&
                      (r == nullptr || q.resource == r);
    if (!fits) return Mishap();
    *struck = true;
    tell(q.event);
    return mishap(q);
  });
  FaultEffect effect;
  effect.strikes = AtOnce;
  effect.undo = [&hooks, judge] { hooks.RemoveJudge(judge); };
  return effect;
}

}  // namespace

bool IsWrite(api::Verb verb) {
  return verb != api::Verb::kGet && verb != api::Verb::kList && verb != api::Verb::kWatch;
}

FaultEffect RejectWrite(FaultCall& call) {
  const int code = call.Has("code") ? static_cast<int>(call.Int("code")) : 500;
  return NextWrite(call, [code](const api::Request& q) {
    Mishap mishap;
    mishap.kind = Mishap::Kind::kRejected;
    mishap.status = Refusal(code, q);
    return mishap;
  });
}

// The answer is lost, with the write applied or not; the client waits until its time is up.
FaultEffect TimeoutWrite(FaultCall& call) {
  const bool applied = call.spec().args.Get("applied").AsBool();
  return NextWrite(call, [applied](const api::Request&) {
    Mishap mishap;
    mishap.kind = applied ? Mishap::Kind::kAnswerLost : Mishap::Kind::kRequestLost;
    return mishap;
  });
}

// --- draws ---

// Answers: the codes that clients handle each in a way of its own.
void DrawRejectWrite(DrawnQuestion& question) {
  constexpr int kCodes[] = {409, 500, 429, 504};
  const std::uint32_t n = question.AskAboutStream(std::size(kCodes) + 1);
  if (n == 0) return;
  question.Fire("rejectWrite", StreamOf(question.client(), question.resource())
                                   .Set("verb", Text(question.verb()))
                                   .Set("code", value::Value::Of(kCodes[n - 1])));
}

// Answers: the write is applied; it is not.
void DrawTimeoutWrite(DrawnQuestion& question) {
  const std::uint32_t n = question.AskAboutStream(3);
  if (n == 0) return;
  question.Fire("timeoutWrite", StreamOf(question.client(), question.resource())
                                    .Set("verb", Text(question.verb()))
                                    .Set("applied", value::Value::Of(n == 1)));
}

}  // namespace ksim::fault
