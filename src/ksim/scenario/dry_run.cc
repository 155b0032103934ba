#include "ksim/scenario/dry_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/core/kind_service.h"
#include "ksim/api/kinds.h"
#include "ksim/api/rules/validation.h"
#include "ksim/api/schema/schema.h"
#include "ksim/api/strategy/defaulting.h"
#include "ksim/api/strategy/strategy.h"
#include "ksim/api/structural/custom_resource.h"
#include "ksim/scenario/parse.h"
#include "ksim/scenario/schema.h"
#include "ksim/value/yaml.h"

namespace ksim::scenario {
namespace {

using value::Value;

Diagnostic AtField(const Manifest& manifest, std::string_view field, std::string message,
                   Part part = Part::kValue) {
  const Span span = SpanOfField(manifest, field, part);
  if (manifest.file) return manifest.file->At(span, std::move(message));
  Diagnostic d;
  d.file = fmt::format("{}/{}", manifest.Kind(), manifest.Name());
  d.message = std::move(message);
  return d;
}

// unknown field "spec.foo" -> spec.foo
std::string FieldInQuotes(std::string_view message) {
  const std::size_t open = message.find('"');
  const std::size_t close = message.rfind('"');
  if (open == std::string_view::npos || close <= open) return "";
  return std::string(message.substr(open + 1, close - open - 1));
}

void CheckDecoding(const api::ResourceInfo& info, const Manifest& manifest,
                   std::vector<Diagnostic>* out) {
  const api::SchemaReport report = api::CheckSchema(info, manifest.tree);
  const std::string prefix = fmt::format("{} in version \"{}\" cannot be handled as a {}",
                                         info.kind, info.version, info.kind);
  if (!report.type_error.empty())
    out->push_back(AtField(manifest, report.type_error_path,
                           fmt::format("{}: {}", prefix, report.type_error)));
  for (std::size_t i = 0; i < report.unknown_fields.size(); ++i) {
    const std::string& unknown = report.unknown_fields[i];
    Diagnostic d =
        AtField(manifest, FieldInQuotes(unknown),
                fmt::format("{}: strict decoding error: {}", prefix, unknown), Part::kKey);
    const std::string& nearest = report.nearest_fields[i];
    if (!nearest.empty()) d.hint = fmt::format("did you mean \"{}\"?", nearest);
    out->push_back(std::move(d));
  }
}

void CheckValues(const api::ResourceInfo& info, const Manifest& manifest, api::Compat compat,
                 std::vector<Diagnostic>* out) {
  static const value::Path kNamespace{"metadata", "namespace"};
  Value tree = manifest.tree;
  if (!info.namespaced) {
    tree = tree.Erase(kNamespace);  // as kubectl and the server do
  } else if (tree.Get(kNamespace).is_null()) {
    tree = tree.Set(kNamespace, Value::Of("default"));
  }
  if (info.definition != nullptr)
    tree = api::Read(info, tree, "Ignore", nullptr, compat).tree;  // with the schema's defaults
  tree = api::ClearSystemFields(api::ApplyDefaults(info, tree, compat));
  std::string name(manifest.tree.Get("metadata").Get("name").AsString());
  if (name.empty()) name = manifest.Name() + "bcdfg";
  tree = api::FillSystemFields(tree, name, "00000000-0000-4000-8000-000000000000", VirtualTime());
  tree = api::PrepareForCreate(info, tree, compat);
  api::FieldErrors errors = api::ValidateCreate(info, tree, compat);
  api::ValidateCustom(info, tree, nullptr, "", compat, &errors);
  const api::Status status = api::InvalidObject(info, manifest.Name(), errors);
  for (const api::StatusCause& cause : errors)
    out->push_back(AtField(manifest, cause.field,
                           fmt::format("The {} \"{}\" is invalid: {}: {}", info.kind,
                                       manifest.Name(), cause.field, cause.message)));
}

// Whether the definition of the object's kind comes after it in the same command.
bool ComesBeforeItsDefinition(const Step& step, const Manifest& manifest,
                              const api::ResourceInfo& info) {
  if (info.definition == nullptr) return false;
  for (std::size_t i = step.objects.size(); i-- > 0;) {
    const Manifest& other = step.objects[i];
    if (&other == &manifest) return false;
    if (other.Kind() != "CustomResourceDefinition") continue;
    const Value& spec = other.tree.Get("spec");
    if (spec.Get("group").AsString() == info.group &&
        spec.Get("names").Get("kind").AsString() == info.kind)
      return true;
  }
  return false;
}

Diagnostic NoSuchKind(const Manifest& manifest) {
  return AtField(manifest, "apiVersion",
                 fmt::format("no matches for kind \"{}\" in version \"{}\"", manifest.Kind(),
                             manifest.ApiVersion()));
}

Diagnostic Missing(const std::string& file, const std::string& what) {
  Diagnostic d;
  d.file = file;
  d.message = what + " is not in this version of ksim";
  return d;
}

}  // namespace

std::vector<Diagnostic> DryRun(const Scenario& scenario) {
  api::Kinds kinds;
  LearnKinds(kinds, scenario);
  std::vector<Diagnostic> out;
  for (const Step& step : scenario.steps) {
    if (step.kind != StepKind::kCreate && step.kind != StepKind::kApply) continue;
    for (const Manifest& manifest : step.objects) {
      const api::ResourceInfo* info = kinds.ByKind(manifest.ApiVersion(), manifest.Kind());
      if (info == nullptr || !api::IsServed(*info, scenario.compat) ||
          ComesBeforeItsDefinition(step, manifest, *info)) {
        out.push_back(NoSuchKind(manifest));
        continue;
      }
      const std::size_t before = out.size();
      CheckDecoding(*info, manifest, &out);
      if (out.size() == before) CheckValues(*info, manifest, scenario.compat, &out);
    }
  }
  return out;
}

std::vector<Diagnostic> NotInThisVersion(const Scenario& scenario, const std::string& file) {
  std::vector<Diagnostic> out;
  for (const std::string& name : scenario.checks) {
    const Named* oracle = FindNamed(Oracles(), name);
    if (oracle != nullptr && !oracle->available)
      out.push_back(Missing(file, fmt::format("the oracle {}", name)));
  }
  const auto check = [&](const std::string& name) {
    const Named* controller = FindNamed(Controllers(), name);
    if (controller != nullptr && !controller->available)
      out.push_back(Missing(file, fmt::format("the controller {}", name)));
  };
  for (const std::string& name : scenario.cluster.controllers) check(name);
  for (const auto& [name, replicas] : scenario.cluster.replicated) check(name);
  for (const auto& [process, parts] : scenario.cluster.processes)
    for (const std::string& name : parts) check(name);
  return out;
}

}  // namespace ksim::scenario
