#include "ksim/apiserver/doors/http/request_reader.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/schema/schema.h"
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

// Options of a delete that the server cannot decode were its own error once, not the client's.
api::Status NoDeleteOptions(const std::string& why, api::Compat compat) {
  return api::ProfileOf(compat).bad_delete_options_are_400 ? api::BadRequest(why)
                                                           : api::Unmapped(500, why);
}

// The scheme that decodes them knows the kinds of the meta groups alone.
api::Status CheckDeleteOptionsKind(const Value& body, api::Compat compat) {
  const std::string_view kind = body.Get("kind").AsString();
  const std::string_view version = body.Get("apiVersion").AsString();
  if (kind.empty() || kind == "DeleteOptions") return {};
  return NoDeleteOptions(
      fmt::format("no kind {} is registered for version {} in scheme "
                  "\"pkg/apis/meta/internalversion/scheme/register.go:29\"",
                  api::GoQuote(kind), api::GoQuote(version.empty() ? "v1" : version)),
      compat);
}

// The options of a delete that came as a body.
api::Status TakeDeleteOptions(const Value& body, api::Compat compat, api::Request* request,
                              api::RequestFlaws* flaws) {
  const api::Status is_options = CheckDeleteOptionsKind(body, compat);
  if (!is_options.ok()) return is_options;
  const std::string wrong = api::CheckStruct("DeleteOptions", body);
  if (!wrong.empty()) return NoDeleteOptions(wrong, compat);
  api::DeleteOptions& options = request->del;
  if (const Value& grace = body.Get("gracePeriodSeconds"); !grace.is_null()) {
    options.grace_period_seconds = grace.AsInt();
  }
  if (const Value& policy = body.Get("propagationPolicy"); policy.is_string()) {
    options.propagation_policy = policy.AsString();
    flaws->empty_policy = options.propagation_policy.empty();
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
  for (const Value& value : body.Get("dryRun").items()) {
    request->dry_run = true;
    if (value.AsString() == "All") continue;
    flaws->dry_run.clear();
    for (const Value& v : body.Get("dryRun").items()) flaws->dry_run.emplace_back(v.AsString());
  }
  return {};
}

// Reads the rest of a request whose answer's form is known.
api::Status ReadOptionsAndBody(const HttpRequest& http, const Url& url, const AnswerForm& form,
                               api::Request* request, api::RequestFlaws* flaws) {
  switch (request->verb) {
    case api::Verb::kGet:
      return ReadGetOptions(url.query, &request->list);
    case api::Verb::kList:
    case api::Verb::kWatch: {
      bool asked = false;
      if (api::Status s = ReadListOptions(url.query, &request->list, &asked); !s.ok()) return s;
      if (request->verb == api::Verb::kWatch && !form.type.media->streams) {
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
        const api::Status read = ReadDeleteOptions(url.query, request, flaws);
        request->believed_uid = request->del.uid.value_or("");
        return read;
      }
      const auto media = NegotiateInput(http.headers.Get("Content-Type"), BuiltinMediaTypes());
      if (!media.ok()) return media.status();
      const auto body = Decode(http.body, (*media)->encoding);
      if (!body.ok())
        return NoDeleteOptions(
            "couldn't get version/kind; json parse error: " + body.status().message.str(),
            form.compat);
      const api::Status taken = TakeDeleteOptions(*body, form.compat, request, flaws);
      request->believed_uid = request->del.uid.value_or("");
      return taken;
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
  if (api::Status s = ReadWriteOptions(url.query, request, flaws); !s.ok()) return s;
  Encoding encoding = Encoding::kJson;
  if (request->verb == api::Verb::kPatch) {
    if (request->patch_type == api::PatchType::kApply) encoding = Encoding::kYaml;
  } else {
    const auto media =
        NegotiateInput(http.headers.Get("Content-Type"), MediaTypesOf(request->resource));
    // A create looks at the form before its options, an update after them.
    if (!media.ok() && request->verb == api::Verb::kCreate) return media.status();
    if (!media.ok()) {
      flaws->body = media.status().message.str();
      return {};
    }
    encoding = (*media)->encoding;
  }
  auto body = encoding == Encoding::kJson ? DecodeJson(http.body, &flaws->duplicate_fields)
                                          : Decode(http.body, encoding);
  if (!body.ok() && encoding == Encoding::kYaml) return body.status();
  if (!body.ok()) {
    const bool named = encoding == Encoding::kJson && request->verb != api::Verb::kPatch;
    flaws->body = (named ? "couldn't get version/kind; json parse error: " : "") +
                  body.status().message.str();
    flaws->body_text = http.body;
    return {};
  }
  // Go reads null as an object without fields.
  request->body = body->is_null() && request->verb != api::Verb::kPatch ? Value::EmptyObject()
                                                                        : *std::move(body);
  const bool names_kind =
      request->body.Get("kind").is_string() && request->body.Get("apiVersion").is_string();
  if (encoding == Encoding::kJson && !names_kind) flaws->body_text = http.body;
  // The oracles hold a write against the object that its client has read.
  if (request->verb == api::Verb::kUpdate)
    request->believed_uid = SharedText(request->body.Get("metadata").Get("uid").AsString());
  return {};
}

bool HasFlaws(const api::RequestFlaws& flaws) {
  return !flaws.dry_run.empty() || flaws.empty_policy || flaws.force_given || !flaws.body.empty() ||
         !flaws.body_text.empty() || !flaws.duplicate_fields.empty();
}

}  // namespace

api::Status ReadRequest(const HttpRequest& http, const Url& url, AnswerForm* form,
                        api::Request* request) {
  if (http.body_too_large || http.body.size() > kMaxRequestBodyBytes) {
    return api::RequestEntityTooLarge(fmt::format("limit is {}", kMaxRequestBodyBytes));
  }
  const auto output = NegotiateOutput(http, url.query, MediaTypesOf(request->resource),
                                      Transforms::kResources, false);
  if (!output.ok()) return output.status();
  form->type = *output;
  if (form->type.as == "Table") {
    if (api::Status s = ReadTableOptions(url.query, &form->table); !s.ok()) return s;
  }
  api::RequestFlaws flaws;
  api::Status read = ReadOptionsAndBody(http, url, *form, request, &flaws);
  form->table.dry_run = request->dry_run;
  if (HasFlaws(flaws)) request->flaws = std::make_shared<api::RequestFlaws>(std::move(flaws));
  return read;
}

}  // namespace ksim::apiserver::http
