#include "ksim/apiserver/doors/http/reviews.h"

#include <memory>
#include <string>

#include "ksim/api/request.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/schema/go_form.h"
#include "ksim/api/schema/schema.h"
#include "ksim/apiserver/apply/field_manager.h"
#include "ksim/apiserver/core/endpoints.h"
#include "ksim/apiserver/doors/http/answers.h"
#include "ksim/apiserver/doors/http/bodies.h"
#include "ksim/apiserver/doors/http/derived_answers.h"
#include "ksim/apiserver/doors/http/http_door.h"
#include "ksim/apiserver/doors/http/negotiation.h"
#include "ksim/apiserver/doors/http/options.h"
#include "ksim/apiserver/filters/authentication.h"
#include "ksim/apiserver/handlers/body_flaws.h"
#include "ksim/apiserver/handlers/body_kind.h"

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

namespace {

// The review's resource as one of a kind, which has its group, version and Go type.
api::ResourceInfo InfoOf(const ReviewResource& review) {
  api::ResourceInfo info;
  info.group = review.group;
  info.version = review.version;
  info.kind = review.kind;
  info.namespaced = review.namespaced;
  return info;
}

// The body as an object of the kind, with whoever sent it as the manager of its fields.
api::Result<Value> ReadReview(const HttpRequest& http, const Url& url,
                              const api::ResourceInfo& info, Encoding encoding, api::Compat compat,
                              std::vector<std::string>* warnings) {
  api::RequestFlaws flaws;
  api::Request request;
  request.verb = api::Verb::kCreate;
  request.resource = &info;
  request.user_agent = SharedText(http.headers.Get("User-Agent"));
  request.tracks_fields = true;
  if (api::Status s = ReadWriteOptions(url.query, &request, &flaws); !s.ok()) return s;
  request.flaws = std::make_shared<api::RequestFlaws>(flaws);
  if (api::Status s = ValidateWriteOptions(request, compat); !s.ok()) return s;
  const auto body = Decode(http.body, encoding);
  if (!body.ok()) {
    flaws.body =
        (encoding == Encoding::kJson ? "couldn't get version/kind; json parse error: " : "") +
        body.status().message.str();
    flaws.body_text = http.body;
    request.flaws = std::make_shared<api::RequestFlaws>(flaws);
    return ReadableBody(request, info.kind);
  }
  const TypedBody typed = WithType(info, *body);
  flaws.body_text = http.body;
  request.flaws = std::make_shared<api::RequestFlaws>(flaws);
  if (!typed.problem.empty())
    return TellDuplicates(request, info,
                          CannotBeHandled(*body, info.api_version(), info.kind, typed.problem), 0,
                          warnings);
  auto tree = api::Decode(info, typed.tree, request.field_validation.view(), warnings, compat);
  if (!tree.ok()) return tree;
  return FieldManager(request, VirtualTime(), compat).Update(Value(), *tree);
}

// pkg/apis/authorization/validation: who is asked about, and what.
api::Status CheckReview(std::string_view resource, const Value& spec, api::Compat compat) {
  if (resource == "selfsubjectrulesreviews")
    return spec.Get("namespace").AsString().empty() ? api::BadRequest("no namespace on request")
                                                    : api::Status();
  if (!resource.ends_with("accessreviews")) return {};
  api::FieldErrorList errors(compat);
  const api::FieldPath path("spec");
  const bool of_resource = !spec.Get("resourceAttributes").is_null();
  const bool of_path = !spec.Get("nonResourceAttributes").is_null();
  if (of_resource && of_path)
    errors.Invalid(path.Child("nonResourceAttributes"), spec.Get("nonResourceAttributes"),
                   api::GoShape::kOther,
                   "cannot be specified in combination with resourceAttributes");
  if (!of_resource && !of_path)
    errors.Invalid(path.Child("resourceAttributes"), Value(), api::GoShape::kOther,
                   "exactly one of nonResourceAttributes or resourceAttributes must be specified");
  if (resource != "selfsubjectaccessreviews" && spec.Get("user").AsString().empty() &&
      spec.Get("groups").empty())
    errors.Invalid(path.Child("user"), "", "at least one of user or group must be specified");
  if (errors.empty()) return {};
  return api::Invalid("authorization.k8s.io", "", "", errors.Take());
}

}  // namespace

HttpResponse Reviews::Answer(const HttpRequest& http, const Url& url,
                             const ReviewResource& review) const {
  const auto output =
      NegotiateOutput(http, url.query, BuiltinMediaTypes(), Transforms::kNone, false);
  if (!output.ok()) return StatusResponse(output.status(), nullptr);
  const auto media = NegotiateInput(http.headers.Get("Content-Type"), BuiltinMediaTypes());
  if (!media.ok()) return StatusResponse(media.status(), &*output);
  const api::ResourceInfo info = InfoOf(review);
  api::Response warned;
  auto tree = ReadReview(http, url, info, (*media)->encoding, compat_, &warned.warnings);
  if (!tree.ok()) return StatusResponse(tree.status(), &*output);
  const api::Status asks = CheckReview(review.resource, tree->Get("spec"), compat_);
  if (!asks.ok()) return StatusResponse(asks, &*output);
  Value answer = tree->Set("status", StatusOf(review.resource, UserOf(http), tree->Get("spec")));
  // A review of rules is made anew (selfsubjectrulesreview/rest.go).
  if (review.resource == "selfsubjectrulesreviews")
    answer = value::Obj({{"kind", Value::Of(review.kind)},
                         {"apiVersion", Value::Of(info.api_version())},
                         {"status", answer.Get("status")}});
  HttpResponse response = EmptyAnswer(warned);
  response.code = 201;
  response.headers.Add("Content-Type", output->media->text());
  response.body =
      Encode(api::GoForm(info, answer, compat_), output->media->encoding, output->pretty);
  return response;
}

std::optional<HttpResponse> Reviews::Serve(const HttpRequest& http, const Url& url,
                                           const RequestInfo& info) const {
  for (const ReviewResource& review : kReviews) {
    if (info.api_group != review.group || info.resource != review.resource) continue;
    if (info.api_version != review.version || review.namespaced == info.ns.empty())
      return StatusResponse(api::UnknownPath(), nullptr);
    if (info.verb != "create") return StatusResponse(MethodNotAllowed(), nullptr);
    return Answer(http, url, review);
  }
  return std::nullopt;
}

}  // namespace ksim::apiserver::http
