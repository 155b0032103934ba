#include "ksim/apiserver/doors/http/reviews.h"

#include <string>

#include "ksim/api/request.h"
#include "ksim/apiserver/doors/http/answers.h"
#include "ksim/apiserver/doors/http/bodies.h"
#include "ksim/apiserver/doors/http/derived_answers.h"
#include "ksim/apiserver/doors/http/http_door.h"
#include "ksim/apiserver/doors/http/negotiation.h"
#include "ksim/apiserver/filters/authentication.h"

namespace ksim::apiserver::http {
namespace {

using value::Value;

constexpr std::string_view kAuthentication = "authentication.k8s.io";
constexpr std::string_view kAuthorization = "authorization.k8s.io";

constexpr ReviewResource kReviews[] = {
    {kAuthentication, "v1", "selfsubjectreviews", "SelfSubjectReview", false},
    {kAuthentication, "v1", "tokenreviews", "TokenReview", false},
    {kAuthorization, "v1", "localsubjectaccessreviews", "LocalSubjectAccessReview", true},
    {kAuthorization, "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", false},
    {kAuthorization, "v1", "selfsubjectrulesreviews", "SelfSubjectRulesReview", false},
    {kAuthorization, "v1", "subjectaccessreviews", "SubjectAccessReview", false},
};

User UserNamed(std::string_view name) {
  api::Request request;
  request.user = SharedText(name);
  return Authenticate(request);
}

Value UserTree(const User& user) {
  std::vector<Value> groups;
  for (const std::string& group : user.groups) groups.push_back(Value::Of(group));
  return value::Obj(
      {{"username", Value::Of(user.name)}, {"groups", Value::Array(std::move(groups))}});
}

Value Words(std::initializer_list<std::string_view> words) {
  std::vector<Value> out;
  for (const std::string_view word : words) out.push_back(Value::Of(word));
  return Value::Array(std::move(out));
}

// Rules that allow cannot say what is denied: then they are incomplete, as those of an authorizer
// that cannot list its rules.
Value EverythingAllowed(bool incomplete) {
  return value::Obj(
      {{"incomplete", Value::Of(incomplete)},
       {"nonResourceRules",
        Value::Array({value::Obj({{"verbs", Words({"*"})}, {"nonResourceURLs", Words({"*"})}})})},
       {"resourceRules", Value::Array({value::Obj({{"verbs", Words({"*"})},
                                                   {"apiGroups", Words({"*"})},
                                                   {"resources", Words({"*"})}})})}});
}

Value TokenStatus(const Value& spec) {
  const std::optional<std::string> user = UserOfToken(spec.Get("token").AsString());
  if (!user) {
    return value::Obj(
        {{"user", Value::EmptyObject()}, {"error", Value::Of("invalid bearer token")}});
  }
  return value::Obj({{"authenticated", Value::Of(true)},
                     {"user", UserTree(UserNamed(*user))},
                     {"audiences", Words({"https://kubernetes.default.svc.cluster.local"})}});
}

}  // namespace

std::span<const ReviewResource> ReviewResources() { return kReviews; }

std::string GroupsOf(const HttpRequest& http) {
  std::string groups;
  for (const Headers::Field& field : http.headers.fields()) {
    if (!EqualsIgnoreCase(field.name, "Impersonate-Group")) continue;
    if (!groups.empty()) groups += '\n';
    groups += field.value;
  }
  return groups;
}

User UserOf(const HttpRequest& http) {
  const std::string_view name = http.headers.Get("Impersonate-User");
  if (name.empty()) return UserNamed(kDefaultUser);
  api::Request request;
  request.user = SharedText(name);
  request.groups = SharedText(GroupsOf(http));
  return Authenticate(request);
}

// A verb or a resource that the cluster does not know is allowed: no rule speaks of it.
Value Reviews::AccessOf(const User& user, const Value& spec) const {
  const Value& asked = spec.Get("resourceAttributes");
  bool allowed = true;
  const api::ResourceInfo* const resource =
      kinds_.ByResource(asked.Get("group").AsString(), asked.Get("resource").AsString());
  for (int v = 0; resource != nullptr && v <= static_cast<int>(api::Verb::kDeleteCollection); ++v) {
    api::Request request;
    request.verb = static_cast<api::Verb>(v);
    if (api::ToString(request.verb) != asked.Get("verb").AsString()) continue;
    request.resource = resource;
    request.subresource = SharedText(asked.Get("subresource").AsString());
    request.ns = SharedText(asked.Get("namespace").AsString());
    request.name = SharedText(asked.Get("name").AsString());
    allowed = authorizer_.Allows(user, request);
  }
  value::ObjectBuilder status;
  status.Add("allowed", Value::Of(allowed));
  status.AddIf(!allowed, "denied", Value::Of(true));
  return status.Build();
}

Value Reviews::StatusOf(std::string_view resource, const User& asker, const Value& spec) const {
  if (resource == "selfsubjectreviews") return value::Obj({{"userInfo", UserTree(asker)}});
  if (resource == "tokenreviews") return TokenStatus(spec);
  if (resource == "selfsubjectrulesreviews") return EverythingAllowed(authorizer_.HasRules());
  if (resource == "selfsubjectaccessreviews") return AccessOf(asker, spec);
  User user = UserNamed(spec.Get("user").AsString());
  for (const Value& group : spec.Get("groups").items()) user.groups.emplace_back(group.AsString());
  return AccessOf(user, spec);
}

std::optional<HttpResponse> Reviews::Serve(const HttpRequest& http, const Url& url,
                                           const RequestInfo& info) const {
  for (const ReviewResource& review : kReviews) {
    if (info.api_group != review.group || info.resource != review.resource) continue;
    if (info.api_version != review.version || info.verb != "create" ||
        review.namespaced == info.ns.empty()) {
      return StatusResponse(api::UnknownPath(), nullptr);
    }
    const auto output =
        NegotiateOutput(http, url.query, BuiltinMediaTypes(), Transforms::kNone, false);
    if (!output.ok()) return StatusResponse(output.status(), nullptr);
    const auto media = NegotiateInput(http.headers.Get("Content-Type"), BuiltinMediaTypes());
    if (!media.ok()) return StatusResponse(media.status(), &*output);
    const auto body = Decode(http.body, (*media)->encoding);
    if (!body.ok()) return StatusResponse(body.status(), &*output);
    if (!body->is_object()) {
      return StatusResponse(api::BadRequest("the body is no object"), &*output);
    }
    Value tree = body->Set("kind", Value::Of(review.kind))
                     .Set("apiVersion",
                          Value::Of(std::string(review.group) + "/" + std::string(review.version)));
    if (!tree.Get("metadata").is_object()) tree = tree.Set("metadata", Value::EmptyObject());
    tree = tree.Set("status", StatusOf(review.resource, UserOf(http), tree.Get("spec")));
    HttpResponse response;
    response.code = 201;
    response.headers.Add("Content-Type", output->media->text());
    response.headers.Add("Cache-Control", "no-cache, private");
    response.body = Encode(tree, output->media->encoding, output->pretty);
    return response;
  }
  return std::nullopt;
}

}  // namespace ksim::apiserver::http
