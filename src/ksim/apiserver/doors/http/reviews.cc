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

Value TextList(const std::vector<std::string>& texts) {
  std::vector<Value> out;
  for (const std::string& text : texts) out.push_back(Value::Of(text));
  return Value::Array(std::move(out));
}

// resourceRules or nonResourceRules, which always say the verbs.
Value RuleTree(const PolicyRule& rule, bool of_resources) {
  value::ObjectBuilder out;
  out.Add("verbs", TextList(rule.verbs));
  if (!of_resources) return out.Add("nonResourceURLs", TextList(rule.urls)).Build();
  out.Add("apiGroups", TextList(rule.groups)).Add("resources", TextList(rule.resources));
  return out.AddIf(!rule.names.empty(), "resourceNames", TextList(rule.names)).Build();
}

// The access that the spec of a review asks about.
Access AskedAccess(const Value& spec) {
  const Value& path = spec.Get("nonResourceAttributes");
  if (!path.is_null())
    return AccessOfPath(path.Get("verb").AsString(), path.Get("path").AsString());
  const Value& asked = spec.Get("resourceAttributes");
  Access access;
  access.verb = asked.Get("verb").AsString();
  access.group = asked.Get("group").AsString();
  access.resource = asked.Get("resource").AsString();
  access.subresource = asked.Get("subresource").AsString();
  access.ns = asked.Get("namespace").AsString();
  access.name = asked.Get("name").AsString();
  return access;
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

// As its credentials or --as say, else kDefaultUser.
User Reviews::AskerOf(const HttpRequest& http) const {
  const std::string_view name = http.headers.Get("Impersonate-User");
  api::Request request;
  request.user = SharedText(name.empty() ? kDefaultUser : name);
  if (!name.empty()) request.groups = SharedText(GroupsOf(http));
  return judge_ == nullptr ? Authenticate(request) : judge_->UserOf(request);
}

// The user that a SubjectAccessReview asks about. RBAC believes no group that the name alone says.
User Reviews::SubjectOf(const Value& spec) const {
  User user;
  if (!JudgesPaths()) user = UserNamed(spec.Get("user").AsString());
  user.name = spec.Get("user").AsString();
  for (const Value& group : spec.Get("groups").items()) user.groups.emplace_back(group.AsString());
  return user;
}

Value Reviews::DecisionOn(const User& user, const Value& spec) const {
  const Decision decision =
      judge_ == nullptr ? Decision(true, "") : judge_->Authorize(user, AskedAccess(spec));
  value::ObjectBuilder status;
  status.Add("allowed", Value::Of(decision.allowed));
  status.AddIf(decision.denied, "denied", Value::Of(true));
  status.AddIf(!decision.reason.empty(), "reason", Value::Of(decision.reason));
  return status.Build();
}

// selfsubjectrulesreview/rest.go.
Value Reviews::RulesOf(const User& user, std::string_view ns) const {
  const KnownRules known = judge_ == nullptr ? KnownRules() : judge_->RulesFor(user, ns);
  std::vector<Value> resources, paths;
  for (const PolicyRule& rule : known.rules) {
    if (!rule.resources.empty()) resources.push_back(RuleTree(rule, true));
    if (!rule.urls.empty()) paths.push_back(RuleTree(rule, false));
  }
  value::ObjectBuilder status;
  status.Add("incomplete", Value::Of(known.incomplete));
  status.Add("nonResourceRules", Value::Array(std::move(paths)));
  status.Add("resourceRules", Value::Array(std::move(resources)));
  status.AddIf(!known.error.empty(), "evaluationError", Value::Of(known.error));
  return status.Build();
}

Value Reviews::StatusOf(std::string_view resource, const User& asker, const Value& spec) const {
  if (resource == "selfsubjectreviews") return value::Obj({{"userInfo", UserTree(asker)}});
  if (resource == "tokenreviews") return TokenStatus(spec);
  if (resource == "selfsubjectrulesreviews")
    return RulesOf(asker, spec.Get("namespace").AsString());
  return DecisionOn(resource == "selfsubjectaccessreviews" ? asker : SubjectOf(spec), spec);
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
  Value answer = tree->Set("status", StatusOf(review.resource, AskerOf(http), tree->Get("spec")));
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
    Access access;
    access.verb = info.verb;
    access.group = review.group;
    access.resource = review.resource;
    access.ns = info.ns;
    if (auto refusal = Refuse(AskerOf(http), access)) return refusal;
    if (info.verb != "create") return StatusResponse(MethodNotAllowed(), nullptr);
    return Answer(http, url, review);
  }
  return std::nullopt;
}

std::optional<HttpResponse> Reviews::RefusePath(const HttpRequest& http, const Url& url,
                                                const RequestInfo& info) const {
  if (!JudgesPaths()) return std::nullopt;
  return Refuse(AskerOf(http), AccessOfPath(info.verb, url.path));
}

// Without RBAC nobody is refused but what spec.cluster.deny says of the objects of the cluster.
std::optional<HttpResponse> Reviews::Refuse(const User& user, const Access& access) const {
  if (!JudgesPaths()) return std::nullopt;
  const Decision decision = judge_->Authorize(user, access);
  if (decision.allowed) return std::nullopt;
  return StatusResponse(NotAuthorized(user, access, decision.reason), nullptr);
}

}  // namespace ksim::apiserver::http
