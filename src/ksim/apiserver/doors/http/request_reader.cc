#include "ksim/apiserver/doors/http/request_reader.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "ksim/apiserver/doors/http/options.h"

namespace ksim::apiserver::http {
namespace {

using value::Value;

// The bodies that a kind's endpoint speaks.
std::span<const MediaType> MediaTypesOf(const api::ResourceInfo* resource) {
  return resource != nullptr && resource->custom ? CustomMediaTypes() : BuiltinMediaTypes();
}

std::optional<api::PatchType> PatchTypeOf(std::string_view content_type) {
  const std::optional<std::string> bare = BareMediaType(content_type);
  if (!bare.has_value()) return std::nullopt;
  if (*bare == "application/json-patch+json") return api::PatchType::kJson;
  if (*bare == "application/merge-patch+json") return api::PatchType::kMerge;
  if (*bare == "application/strategic-merge-patch+json") return api::PatchType::kStrategic;
  if (*bare == "application/apply-patch+yaml") return api::PatchType::kApply;
  return std::nullopt;
}

// A patch of an unknown form: the forms that the endpoint takes (patch.go PatchResource).
api::Status UnknownPatch(const api::ResourceInfo& resource) {
  std::string forms = "application/json-patch+json, application/merge-patch+json";
  if (!resource.custom) forms += ", application/strategic-merge-patch+json";
  forms += ", application/apply-patch+yaml";
  return api::UnsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: " + forms);
}

// The options of a delete that came as a body.
void TakeDeleteOptions(const Value& body, api::Request* request) {
  api::DeleteOptions& options = request->del;
  if (const Value& grace = body.Get("gracePeriodSeconds"); !grace.is_null()) {
    options.grace_period_seconds = grace.AsInt();
  }
  if (const Value& policy = body.Get("propagationPolicy"); policy.is_string()) {
    options.propagation_policy = policy.AsString();
  }
  if (const Value& orphan = body.Get("orphanDependents"); !orphan.is_null()) {
    options.orphan_dependents = orphan.AsBool();
  }
  const Value& preconditions = body.Get("preconditions");
  if (preconditions.Get("uid").is_string()) {
    options.uid = SharedText(preconditions.Get("uid").AsString());
  }
  if (preconditions.Get("resourceVersion").is_string()) {
    options.resource_version = SharedText(preconditions.Get("resourceVersion").AsString());
  }
  if (!body.Get("dryRun").empty()) request->dry_run = true;
}

}  // namespace

api::Status ReadRequest(const HttpRequest& http, const Url& url, AnswerForm* form,
                        api::Request* request) {
  if (http.body_too_large || http.body.size() > kMaxRequestBodyBytes) {
    return api::RequestEntityTooLarge(fmt::format("limit is {}", kMaxRequestBodyBytes));
  }
  const bool watch = request->verb == api::Verb::kWatch;
  const auto output = NegotiateOutput(http, url.query, MediaTypesOf(request->resource),
                                      Transforms::kResources, false);
  if (!output.ok()) return output.status();
  form->type = *output;
  if (form->type.as == "Table") {
    if (api::Status s = ReadTableOptions(url.query, &form->table); !s.ok()) return s;
  }
  switch (request->verb) {
    case api::Verb::kGet:
      return ReadGetOptions(url.query, &request->list);
    case api::Verb::kList:
    case api::Verb::kWatch: {
      bool asked = false;
      if (api::Status s = ReadListOptions(url.query, &request->list, &asked); !s.ok()) return s;
      if (watch && !form->type.media->streams) {
        return NegotiateOutput(http, url.query, MediaTypesOf(request->resource),
                               Transforms::kResources, true)
            .status();
      }
      if (!request->name.empty() && request->list.field_selector.empty()) {
        request->list.field_selector =
            SharedText("metadata.name=" + std::string(request->name.view()));
      }
      request->name = SharedText();
      return {};
    }
    case api::Verb::kDelete:
    case api::Verb::kDeleteCollection: {
      bool asked = false;
      if (request->verb == api::Verb::kDeleteCollection) {
        if (api::Status s = ReadListOptions(url.query, &request->list, &asked); !s.ok()) return s;
      }
      if (http.body.empty()) {
        const api::Status read = ReadDeleteOptions(url.query, request);
        request->believed_uid = request->del.uid.value_or("");
        return read;
      }
      const auto media = NegotiateInput(http.headers.Get("Content-Type"), BuiltinMediaTypes());
      if (!media.ok()) return media.status();
      const auto body = Decode(http.body, (*media)->encoding);
      if (!body.ok()) return body.status();
      TakeDeleteOptions(*body, request);
      request->believed_uid = request->del.uid.value_or("");
      return {};
    }
    case api::Verb::kPatch: {
      const std::optional<api::PatchType> type = PatchTypeOf(http.headers.Get("Content-Type"));
      if (!type.has_value()) return UnknownPatch(*request->resource);
      request->patch_type = *type;
      break;
    }
    case api::Verb::kCreate:
    case api::Verb::kUpdate:
      break;
  }
  if (api::Status s = ReadWriteOptions(url.query, request); !s.ok()) return s;
  Encoding encoding = Encoding::kJson;
  if (request->verb == api::Verb::kPatch) {
    if (request->patch_type == api::PatchType::kApply) encoding = Encoding::kYaml;
  } else {
    const auto media =
        NegotiateInput(http.headers.Get("Content-Type"), MediaTypesOf(request->resource));
    if (!media.ok()) return media.status();
    encoding = (*media)->encoding;
  }
  auto body = Decode(http.body, encoding);
  if (!body.ok()) return body.status();
  request->body = *std::move(body);
  // The oracles hold a write against the object that its client has read.
  if (request->verb == api::Verb::kUpdate)
    request->believed_uid = SharedText(request->body.Get("metadata").Get("uid").AsString());
  return {};
}

}  // namespace ksim::apiserver::http
