#include "ksim/apiserver/doors/http/derived_answers.h"

#include <utility>
#include <vector>

#include "fmt/format.h"
#include "ksim/api/schema/go_form.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/doors/http/answers.h"
#include "ksim/apiserver/doors/http/bodies.h"
#include "ksim/apiserver/doors/http/negotiation.h"
#include "ksim/value/base64.h"
#include "ksim/value/timestamp.h"

namespace ksim::apiserver::http {
namespace {

using value::Value;

constexpr std::string_view kTokenPrefix = "ksim.";
constexpr std::int64_t kUsualExpiration = 3600;  // seconds

HttpResponse Refused(std::string message) {
  return StatusResponse(api::BadRequest(message), nullptr);
}

std::vector<std::string> NamesIn(const Value& containers) {
  std::vector<std::string> names;
  for (const Value& c : containers.items()) names.emplace_back(c.Get("name").AsString());
  return names;
}

// The status of the container; null if the pod has none of it.
Value StatusOf(const Value& pod, std::string_view container) {
  const Value& status = pod.Get("status");
  for (const std::string_view list :
       {"initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"}) {
    for (const Value& s : status.Get(list).items()) {
      if (s.Get("name").AsString() == container) return s;
    }
  }
  return Value();
}

// The container that is asked for, or the only one; else what is wrong.
std::string ContainerOf(const Value& pod, std::string_view name, std::string* problem) {
  const Value& spec = pod.Get("spec");
  const std::string_view pod_name = pod.Get("metadata").Get("name").AsString();
  const std::vector<std::string> names = NamesIn(spec.Get("containers"));
  const std::vector<std::string> init = NamesIn(spec.Get("initContainers"));
  if (name.empty()) {
    if (names.size() == 1) return names.front();
    *problem = fmt::format("a container name must be specified for pod {}", pod_name);
    if (names.empty()) return "";
    *problem += fmt::format(", choose one of: [{}]", fmt::join(names, " "));
    if (!init.empty())
      *problem += fmt::format(" or one of the init containers: [{}]", fmt::join(init, " "));
    return "";
  }
  for (const std::vector<std::string>& list : {names, init}) {
    for (const std::string& known : list) {
      if (known == name) return known;
    }
  }
  *problem = fmt::format("container {} is not valid for pod {}", name, pod_name);
  return "";
}

}  // namespace

HttpResponse PodLog(const HttpRequest&, const Url& url, const api::Object& object, VirtualTime) {
  const Value pod = object.ToTree();
  std::string problem;
  const std::string container = ContainerOf(pod, url.query.Get("container"), &problem);
  if (!problem.empty()) return Refused(std::move(problem));
  HttpResponse response;
  response.headers.Add("Cache-Control", "no-cache, private");
  if (pod.Get("spec").Get("nodeName").AsString().empty()) {
    response.code = 204;
    return response;
  }
  response.headers.Add("Content-Type", "text/plain");
  const std::string_view name = pod.Get("metadata").Get("name").AsString();
  const Value status = StatusOf(pod, container);
  const std::string_view previous = url.query.Get("previous");
  if ((previous == "true" || previous == "1") &&
      status.Get("lastState").Get("terminated").is_null()) {
    return Refused(fmt::format("previous terminated container \"{}\" in pod \"{}\" not found",
                               container, name));
  }
  const Value& state = status.Get("state");
  const bool started = !state.Get("running").is_null() || !state.Get("terminated").is_null() ||
                       !status.Get("lastState").Get("terminated").is_null();
  if (started) return response;
  const std::string_view reason = state.Get("waiting").Get("reason").AsString();
  return Refused(fmt::format("container \"{}\" in pod \"{}\" is waiting to start: {}", container,
                             name, reason.empty() ? "ContainerCreating" : reason));
}

namespace {

// pkg/apis/authentication/validation ValidateTokenRequest
api::Status CheckExpiration(std::int64_t seconds) {
  constexpr std::int64_t kShortest = 600;
  constexpr std::int64_t kLongest = std::int64_t{1} << 32;
  if (seconds >= kShortest && seconds <= kLongest) return {};
  const std::string message =
      fmt::format("Invalid value: {}: {}", seconds,
                  seconds < kShortest ? "may not specify a duration less than 10 minutes"
                                      : "may not specify a duration larger than 2^32 seconds");
  return api::Invalid("authentication.k8s.io", "TokenRequest", "",
                      {{"FieldValueInvalid", message, "spec.expirationSeconds"}});
}

}  // namespace

HttpResponse ServiceAccountToken(const HttpRequest& http, const Url& url,
                                 const api::Object& account, VirtualTime now) {
  const auto output =
      NegotiateOutput(http, url.query, BuiltinMediaTypes(), Transforms::kNone, false);
  if (!output.ok()) return StatusResponse(output.status(), nullptr);
  const auto media = NegotiateInput(http.headers.Get("Content-Type"), BuiltinMediaTypes());
  if (!media.ok()) return StatusResponse(media.status(), &*output);
  const auto body = Decode(http.body, (*media)->encoding);
  if (!body.ok()) return StatusResponse(body.status(), &*output);
  Value spec = body->is_object() ? body->Get("spec") : Value();
  if (!spec.is_object()) spec = Value::EmptyObject();
  if (spec.Get("audiences").empty()) {
    spec = spec.Set("audiences",
                    Value::Array({Value::Of("https://kubernetes.default.svc.cluster.local")}));
  }
  if (!spec.Get("expirationSeconds").is_int()) {
    spec = spec.Set("expirationSeconds", Value::Of(kUsualExpiration));
  }
  if (const api::Status s = CheckExpiration(spec.Get("expirationSeconds").AsInt()); !s.ok())
    return StatusResponse(s, &*output);
  const std::string user = fmt::format("system:serviceaccount:{}:{}", account.ns(), account.name());
  const VirtualTime expires = now + Seconds(spec.Get("expirationSeconds").AsInt());
  const Value tree = value::Obj(
      {{"kind", Value::Of("TokenRequest")},
       {"apiVersion", Value::Of("authentication.k8s.io/v1")},
       {"metadata", value::Obj({{"name", Value::Of(account.name())},
                                {"namespace", Value::Of(account.ns())},
                                {"creationTimestamp", Value::Of(value::FormatTimestamp(now))}})},
       {"spec", spec},
       {"status",
        value::Obj({{"token", Value::Of(std::string(kTokenPrefix) + value::Base64(user))},
                    {"expirationTimestamp", Value::Of(value::FormatTimestamp(expires))}})}});
  HttpResponse response;
  response.code = 201;
  response.headers.Add("Content-Type", output->media->text());
  response.headers.Add("Cache-Control", "no-cache, private");
  api::ResourceInfo info;
  info.kind = "TokenRequest";
  response.body =
      Encode(api::GoForm(info, tree, api::kDefaultCompat), output->media->encoding, output->pretty);
  return response;
}

DerivedAnswer DerivedAnswerOf(const RequestInfo& info) {
  if (info.api_prefix != "api" || info.name.empty()) return nullptr;
  if (info.resource == "pods" && info.subresource == "log" && info.verb == "get") return &PodLog;
  if (info.resource == "serviceaccounts" && info.subresource == "token" && info.verb == "create") {
    return &ServiceAccountToken;
  }
  return nullptr;
}

std::optional<std::string> UserOfToken(std::string_view token) {
  if (!token.starts_with(kTokenPrefix)) return std::nullopt;
  std::optional<std::string> user = value::Unbase64(token.substr(kTokenPrefix.size()));
  if (!user || !user->starts_with("system:serviceaccount:")) return std::nullopt;
  return user;
}

}  // namespace ksim::apiserver::http
