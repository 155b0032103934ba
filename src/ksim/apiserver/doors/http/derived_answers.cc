#include "ksim/apiserver/doors/http/derived_answers.h"

#include <utility>

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
