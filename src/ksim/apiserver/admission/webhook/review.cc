#include "ksim/apiserver/admission/webhook/review.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/core/go_text.h"
#include "ksim/apiserver/core/subresource_kind.h"
#include "ksim/apiserver/outbound/review_answer.h"
#include "ksim/base/status.h"
#include "ksim/value/base64.h"
#include "ksim/value/go_json_problem.h"
#include "ksim/value/json.h"

namespace ksim::apiserver {
namespace {

using value::Obj;
using value::ObjectBuilder;
using value::Value;

constexpr std::string_view kReviewGroup = "admission.k8s.io";

Value KindTree(const api::ResourceInfo& r) {
  return Obj({{"group", Value::Of(r.group)},
              {"version", Value::Of(r.version)},
              {"kind", Value::Of(r.kind)}});
}

Value ResourceTree(const api::ResourceInfo& r) {
  return Obj({{"group", Value::Of(r.group)},
              {"version", Value::Of(r.version)},
              {"resource", Value::Of(r.resource)}});
}

Value UserTree(const User* user) {
  ObjectBuilder tree;
  if (user == nullptr) return tree.Build();
  tree.Add("username", Value::Of(user->name));
  std::vector<Value> groups;
  for (const std::string& group : user->groups) groups.push_back(Value::Of(group));
  tree.AddIf(!groups.empty(), "groups", Value::Array(groups));
  return tree.Build();
}

void AddDeleteOptions(const api::DeleteOptions& options, ObjectBuilder* tree) {
  if (options.grace_period_seconds)
    tree->Add("gracePeriodSeconds", Value::Of(*options.grace_period_seconds));
  if (options.orphan_dependents)
    tree->Add("orphanDependents", Value::Of(*options.orphan_dependents));
  tree->AddIf(!options.propagation_policy.empty(), "propagationPolicy",
              Value::Of(options.propagation_policy));
  ObjectBuilder preconditions;
  if (options.uid) preconditions.Add("uid", Value::Of(*options.uid));
  if (options.resource_version)
    preconditions.Add("resourceVersion", Value::Of(*options.resource_version));
  if (options.uid || options.resource_version) tree->Add("preconditions", preconditions.Build());
}

// The options of the operation that is judged: a patch that creates has CreateOptions, one that
// changes has UpdateOptions.
Value OptionsTree(const Attributes& a) {
  if (a.request == nullptr) return Value();
  const api::Request& request = a.request->request();
  ObjectBuilder tree;
  tree.Add("apiVersion", Value::Of("meta.k8s.io/v1"));
  if (a.dry_run) tree.Add("dryRun", value::Arr({Value::Of("All")}));
  if (a.operation == Operation::kDelete) {
    AddDeleteOptions(a.del != nullptr ? *a.del : request.del, &tree);
    tree.Add("kind", Value::Of("DeleteOptions"));
    return tree.Build();
  }
  tree.AddIf(!request.field_manager.empty(), "fieldManager", Value::Of(request.field_manager));
  tree.AddIf(!request.field_validation.empty(), "fieldValidation",
             Value::Of(request.field_validation));
  const bool creates = a.operation == Operation::kCreate;
  tree.Add("kind", Value::Of(creates ? "CreateOptions" : "UpdateOptions"));
  return tree.Build();
}

std::string_view OperationWord(Operation operation) {
  if (operation == Operation::kCreate) return "CREATE";
  return operation == Operation::kUpdate ? "UPDATE" : "DELETE";
}

bool IsOfNamespaces(const api::ResourceInfo& r) {
  return r.group.empty() && r.resource == "namespaces";
}

// The patch of the answer, and whether it goes with its type.
std::string TakePatch(const Value& response, std::string_view version, bool mutating,
                      ReviewVerdict* verdict, std::string* bytes) {
  const bool has_type = !response.Get("patchType").is_null();
  *bytes = value::Unbase64(response.Get("patch").AsString()).value_or("");
  const bool has_patch = !bytes->empty();
  if (version == "v1beta1") {
    // There the type was never looked at.
    if (has_patch) verdict->patch_type = "JSONPatch";
    if (!mutating) bytes->clear();
    return "";
  }
  if (!mutating) {
    if (has_patch) return "validating webhook may not return response.patch";
    return has_type ? "validating webhook may not return response.patchType" : "";
  }
  if (has_patch && !has_type) return "webhook returned response.patch but not response.patchType";
  if (!has_patch && has_type) return "webhook returned response.patchType but not response.patch";
  verdict->patch_type = response.Get("patchType").AsString();
  if (has_type && verdict->patch_type.empty())
    return "webhook returned invalid response.patchType of \"\"";
  return "";
}

// jsonpatch.DecodePatch
void DecodePatch(const std::string& bytes, const Profile& profile, ReviewVerdict* verdict) {
  std::vector<std::string> duplicates;
  const auto patch = value::ParseJsonAsGo(bytes, &duplicates);
  std::string problem;
  if (!patch.ok()) {
    problem = value::GoJsonProblem(bytes);
  } else if (!patch->is_array() && !patch->is_null()) {
    problem = "json: cannot unmarshal into Go value of type jsonpatch.Patch";
  }
  if (problem.empty()) {
    verdict->patch = *patch;
  } else if (profile.bad_webhook_patch_fails_call) {
    verdict->failure = "received undecodable patch in webhook response: " + problem;
  } else {
    verdict->error = api::InternalError(problem);
  }
}

}  // namespace

std::string_view ReviewVersion(const Hook& hook) {
  for (const std::string& version : hook.review_versions) {
    if (version == "v1" || version == "v1beta1") return version;
  }
  return "";
}

std::string ReviewedName(const Attributes& a, const Value& object) {
  if (!a.name.empty()) return a.name.str();
  return std::string(object.Get("metadata").Get("name").AsString());
}

std::string ReviewedNamespace(const Attributes& a) {
  return IsOfNamespaces(a.resource) ? ReviewedName(a, a.object) : a.ns.str();
}

namespace {

// The parts before and behind the objects.
void AddTarget(const Attributes& a, const api::ResourceInfo& asked, ObjectBuilder* request) {
  const std::string name = ReviewedName(a, a.object);
  const std::string ns = ReviewedNamespace(a);
  request->Add("kind", KindTree(KindAt(asked, a.subresource)));
  request->Add("resource", ResourceTree(asked));
  request->AddIf(!a.subresource.empty(), "subResource", Value::Of(a.subresource));
  request->Add("requestKind", KindTree(KindAt(a.resource, a.subresource)));
  request->Add("requestResource", ResourceTree(a.resource));
  request->AddIf(!a.subresource.empty(), "requestSubResource", Value::Of(a.subresource));
  request->AddIf(!name.empty(), "name", Value::Of(name));
  request->AddIf(!ns.empty(), "namespace", Value::Of(ns));
  request->Add("operation", Value::Of(OperationWord(a.operation)));
  request->Add("userInfo", UserTree(a.user));
}

void AddOptions(const Attributes& a, ObjectBuilder* request) {
  request->Add("dryRun", Value::Of(a.dry_run));
  request->Add("options", OptionsTree(a));
}

}  // namespace

Value ReviewedRequest(const Attributes& a, const api::ResourceInfo& asked) {
  ObjectBuilder request;
  AddTarget(a, asked, &request);
  AddOptions(a, &request);
  return request.Build();
}

std::string ReviewRequest(std::string_view version, std::string_view uid, const Attributes& a,
                          const Invocation& invocation, const Value& object, const Value& old) {
  ObjectBuilder request;
  request.Add("uid", Value::Of(uid));
  AddTarget(a, *invocation.resource, &request);
  request.Add("object", object).Add("oldObject", old);
  AddOptions(a, &request);
  const Value review = Obj({{"apiVersion", Value::Of(fmt::format("{}/{}", kReviewGroup, version))},
                            {"kind", Value::Of("AdmissionReview")},
                            {"request", request.Build()}});
  return value::ToJson(review);
}

ReviewVerdict ReviewVerdict::Failed(std::string why) {
  ReviewVerdict verdict;
  verdict.failure = std::move(why);
  return verdict;
}

ReviewVerdict ReadAnswer(const WebhookAnswer& answer, std::string_view version,
                         std::string_view uid, std::string_view webhook, bool mutating,
                         const Profile& profile) {
  constexpr std::string_view kCall = "failed to call webhook: ";
  constexpr std::string_view kInvalid = "received invalid webhook response: ";
  const auto failed = [](std::string_view how, std::string_view why) {
    return ReviewVerdict::Failed(fmt::format("{}{}", how, why));
  };
  const ReviewAnswer read =
      ReadReviewAnswer(answer, ReviewKind(kReviewGroup, "AdmissionReview", version));
  if (!read.problem.empty()) return failed(kCall, read.problem);
  const Value& tree = read.review;

  // Verifies what it says.
  const Value& response = tree.Get("response");
  if (response.is_null()) return failed(kInvalid, "webhook response was absent");
  if (version == "v1") {
    const std::string_view given = response.Get("uid").AsString();
    if (given != uid)
      return failed(kInvalid, fmt::format("expected response.uid={}, got {}", api::GoQuote(uid),
                                          api::GoQuote(given)));
    const std::string kind = GroupVersionKindText(tree);
    constexpr std::string_view kWanted = "admission.k8s.io/v1, Kind=AdmissionReview";
    if (kind != kWanted)
      return failed(kInvalid,
                    fmt::format("expected webhook response of {}, got {}", kWanted, kind));
  }
  ReviewVerdict verdict;
  std::string bytes;
  const std::string problem = TakePatch(response, version, mutating, &verdict, &bytes);
  if (!problem.empty()) return failed(kInvalid, problem);
  verdict.allowed = response.Get("allowed").AsBool();
  for (const Value& w : response.Get("warnings").items())
    verdict.warnings.emplace_back(w.AsString());
  for (const Value::Member& m : response.Get("auditAnnotations").members())
    verdict.annotations.emplace_back(m.name.text(), m.value.AsString());
  if (!verdict.allowed) {
    verdict.denial = DeniedBy(webhook, response.Get("status"));
  } else if (!bytes.empty()) {
    DecodePatch(bytes, profile, &verdict);
  }
  return verdict;
}

api::Status DeniedBy(std::string_view webhook, const Value& result) {
  constexpr int kBadRequest = 400;
  api::Status status;
  if (result.is_object()) status = api::Status::FromTree(result);
  const Value& code = result.Get("code");
  status.code = code.is_int() ? std::max(kBadRequest, static_cast<int>(code.AsInt())) : kBadRequest;
  std::string why = fmt::format("admission webhook {} denied the request", api::GoQuote(webhook));
  const std::string_view message = result.Get("message").AsString();
  const std::string_view reason = result.Get("reason").AsString();
  if (!message.empty()) {
    why += fmt::format(": {}", message);
  } else if (!reason.empty()) {
    why += fmt::format(": {}", reason);
  } else {
    why += " without explanation";
  }
  status.message = why;
  return status;
}

}  // namespace ksim::apiserver
