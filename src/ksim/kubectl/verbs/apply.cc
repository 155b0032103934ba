// kubectl apply, client side and server side.
//
// Source: kubectl pkg/cmd/apply/{apply,patcher}.go, pkg/util/apply.go.
#include <fmt/format.h>

#include "ksim/api/patch_schema.h"
#include "ksim/base/status.h"
#include "ksim/kubectl/printing/object_name.h"
#include "ksim/kubectl/verbs/messages.h"
#include "ksim/kubectl/verbs/verbs.h"
#include "ksim/value/go_format.h"
#include "ksim/value/json.h"
#include "ksim/value/patch.h"

namespace ksim::kubectl {
namespace {

using value::Value;

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

// The object with the configuration as apply records it: the JSON of the object without the record
// itself, but with annotations, be they empty, and a newline.
// util/apply.go GetModifiedConfiguration; apimachinery unstructured/helpers.go doEncode.
Value WithLastApplied(const Value& wanted) {
  static const value::Path kAnnotations{"metadata", "annotations"};
  static const value::Path kRecord{"metadata", "annotations", kLastApplied};
  Value bare = wanted.Erase(kRecord);
  if (!bare.Get(kAnnotations).is_object()) bare = bare.Set(kAnnotations, Value::EmptyObject());
  return bare.Set(kRecord, Value::Of(value::GoJson(bare) + "\n"));
}

// apply.go warnIfMissing...: an object that was made without apply has no record of what was
// applied.
std::string MissingRecordWarning(const api::ResourceInfo& info, std::string_view name) {
  return fmt::format(
      "Warning: resource {}/{} is missing the {} annotation which is required by kubectl apply. "
      "kubectl apply should only be used on resources created declaratively by either kubectl "
      "create --save-config or kubectl apply. The missing annotation will be patched "
      "automatically.",
      info.resource, name, kLastApplied);
}

// The name of a manifest's object, or the prefix that it wants generated.
std::string_view NameOrPrefix(const Value& manifest) {
  const Value& metadata = manifest.Get("metadata");
  const std::string_view name = metadata.Get("name").AsString();
  return name.empty() ? metadata.Get("generateName").AsString() : name;
}

// The patch from the three versions: a strategic merge patch if the kind has a schema for it, else
// a merge patch.
Value ThreeWayPatch(const api::ResourceInfo& info, const Value& before, const Value& modified,
                    const Value& now, api::PatchType* type) {
  *type = api::PatchType::kMerge;
  const value::PatchSchema* schema = api::FindPatchSchema(info.api_version(), info.kind);
  if (schema != nullptr) {
    absl::StatusOr<Value> strategic =
        value::CreateThreeWayMergePatch(before, modified, now, schema, true);
    if (strategic.ok()) {
      *type = api::PatchType::kStrategic;
      return *std::move(strategic);
    }
  }
  return value::CreateThreeWayJsonMergePatch(before, modified, now);
}

// Client side. `done`: the word for the line.
sim::Task<api::Response> ApplyOne(Session& session, Session::Info info, api::Object wanted,
                                  const char** done, CommandOutput* output) {
  const std::string ns(wanted.ns()), name(wanted.name());
  const api::Response current = co_await session.GetNamed(info, ns, name);
  const Value modified = WithLastApplied(wanted.tree());

  // There is none: create it.
  *done = " created";
  if (current.code == 404) {
    api::Request create = RequestFor(api::Verb::kCreate, info, ns, "");
    create.body = modified;
    create.field_manager = "kubectl-client-side-apply";
    create.field_validation = "Strict";
    co_return co_await session.Send(std::move(create));
  }
  if (current.code != 200) co_return current;

  // There is one: patch what has changed since it was applied last.
  const std::string_view last = current.object.Annotation(kLastApplied);
  if (!current.object.annotations().Has(kLastApplied))
    output->lines.push_back(MissingRecordWarning(*info, name));
  absl::StatusOr<Value> original = value::ParseJson(last.empty() ? "{}" : last);
  const Value before = original.ok() ? *original : Value::EmptyObject();
  api::PatchType type = api::PatchType::kMerge;
  const Value patch = ThreeWayPatch(*info, before, modified, current.object.ToTree(), &type);
  *done = " unchanged";
  if (patch.empty()) co_return current;
  *done = " configured";
  co_return co_await session.Patch(info, ns, name, patch, type, "", "kubectl-client-side-apply");
}

sim::Task<api::Response> ApplyOnServer(Session& session, Session::Info info, api::Object wanted,
                                       const ApplyOptions& options) {
  api::Request request = RequestFor(api::Verb::kPatch, info, wanted.ns(), wanted.name());
  request.body = wanted.tree();
  request.patch_type = api::PatchType::kApply;
  request.field_manager = options.field_manager;
  request.field_validation = "Strict";
  request.force = options.force_conflicts;
  co_return co_await session.Send(std::move(request));
}

}  // namespace

sim::Task<CommandOutput> Apply(Session& session, const ApplyOptions& options) {
  CommandOutput output;
  for (const Value& manifest : options.manifests) {
    Session::Info info = session.ResourceOfManifest(manifest, &output);
    if (info == nullptr) co_return output;
    const api::Object object = ObjectOfManifest(*info, manifest);
    if (object.name().empty()) {
      output.error = fmt::format("error: from {}: cannot use generate name with apply",
                                 NameOrPrefix(manifest));
      co_return output;
    }
    const char* done = " serverside-applied";
    api::Response response;
    if (options.server_side) {
      response = co_await ApplyOnServer(session, info, object, options);
    } else {
      response = co_await ApplyOne(session, info, object, &done, &output);
    }
    AddWarnings(response, &output);
    if (HasFailed(response)) {
      const bool creating = !options.server_side && done == std::string_view(" created");
      output.error = options.server_side && api::IsConflict(response.status)
                         ? ApplyConflictText(response.status)
                         : ErrorText(response, creating ? "creating" : "");
      co_return output;
    }
    output.lines.push_back(SlashedName(*info, object.name()) + done);
    co_await session.AwaitDefinition(info, std::string(object.name()));
  }
  co_return output;
}

}  // namespace ksim::kubectl
