#include "ksim/scenario/kubectl.h"

#include <fmt/format.h>

#include "ksim/api/patch_schema.h"
#include "ksim/base/status.h"
#include "ksim/value/json.h"
#include "ksim/value/patch.h"
#include "ksim/value/selector.h"
#include "ksim/value/text.h"

namespace ksim::scenario {

using api::Object;
using api::Request;
using api::Response;
using value::Value;

namespace {

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

client::ClientOptions KubectlOptions() {
  client::ClientOptions options;
  options.user = "kubernetes-admin";
  options.qps = 50;
  options.burst = 300;
  return options;
}

Request About(api::Verb verb, const api::ResourceInfo* info, std::string ns, std::string name) {
  Request r;
  r.verb = verb;
  r.resource = info;
  r.ns = info->namespaced ? std::move(ns) : std::string();
  r.name = std::move(name);
  return r;
}

const value::Path& LastAppliedPath() {
  static const value::Path path{"metadata", "annotations", kLastApplied};
  return path;
}

// The configuration as apply records it: the object without the record itself, and a newline.
Value WithLastApplied(const Value& wanted) {
  const Value bare = wanted.Erase(LastAppliedPath());
  return wanted.Set(LastAppliedPath(), Value::Of(value::ToJson(bare) + "\n"));
}

Value MapOf(const Step& step) {
  value::ObjectBuilder out;
  for (const auto& [key, v] : step.set) out.Add(key, v ? Value::Of(*v) : Value());
  return out.Build();
}

// apply.go warnIfMissing...: what was made without apply has no record of what was applied.
std::string MissingRecord(const api::ResourceInfo& info, std::string_view name) {
  return fmt::format(
      "Warning: resource {}/{} is missing the {} annotation which is required by kubectl apply. "
      "kubectl apply should only be used on resources created declaratively by either kubectl "
      "create --save-config or kubectl apply. The missing annotation will be patched "
      "automatically.",
      info.resource, name, kLastApplied);
}

// label.go ParseLabels: "" if all values can be those of labels.
std::string BadLabelValue(const Step& step) {
  for (const auto& [key, v] : step.set) {
    const std::vector<std::string> problems =
        v ? value::LabelValueProblems(*v) : std::vector<std::string>();
    if (!problems.empty())
      return fmt::format("error: invalid label value: {}: {}",
                         value::GoQuote(fmt::format("{}={}", key, *v)), fmt::join(problems, ";"));
  }
  return "";
}

// patch.go compares the objects: of one that goes with its last finalizer the version stays.
bool Unchanged(const Object& before, const Object& after) {
  if (before.resource_version() != after.resource_version()) return false;
  return before.kind() != after.kind() || before.ToTree() == after.ToTree();
}

// label.go validateNoOverwrites, annotate.go validateNoAnnotationOverwrites: why kubectl refuses to
// set what is `present` already; "" = it does not.
std::string RefusesToOverwrite(const Step& step, bool label, const Value& present) {
  constexpr std::string_view kChangeCause = "kubernetes.io/change-cause";
  std::vector<std::string> kept;
  for (const auto& [key, v] : step.set) {
    if (!v || step.overwrite || !present.Has(key) || present.Get(key).AsString() == *v) continue;
    if (label || key != kChangeCause)
      kept.push_back(fmt::format("'{}' already has a value ({}){}", key,
                                 present.Get(key).AsString(),
                                 label ? ", and --overwrite is false" : ""));
  }
  if (kept.empty()) return "";
  if (label) return fmt::format("{}{}", kept.size() == 1 ? "error: " : "", fmt::join(kept, "\n"));
  return fmt::format(
      "error: --overwrite is false but found the following declared annotation(s): {}",
      fmt::join(kept, "; "));
}

// label.go updateDataChangeMsg. Before 1.36 it looks at the sizes of the object, and not at what an
// overwriting call takes away.
std::string_view Labelled(const Step& step, const Value& present, api::Compat compat) {
  int added = 0, removed = 0;
  for (const auto& [key, v] : step.set) {
    if (!v) removed += present.Has(key) ? 1 : 0;
    if (v) added += present.Has(key) && present.Get(key).AsString() == *v ? 0 : 1;
  }
  if (added == 0 && removed == 0) return "not labeled";
  const bool latest = compat == api::Compat::k1_36;
  if (added > 0) return removed > 0 && latest ? "modified" : "labeled";
  return step.overwrite && !latest ? "labeled" : "unlabeled";
}

}  // namespace

Kubectl::Kubectl(client::Connection& connection)
    : env_(connection.env()), client_(connection, connection.process().actor(), KubectlOptions()) {}

sim::Task<Response> Kubectl::Send(Request request) {
  Response response = co_await client_.Do(std::move(request));
  // ErrorText tells the user who refused.
  if (api::IsConnectionRefused(response.status))
    response.status.details->name = fmt::format("{}:6443", client_.connection().server().name());
  co_return response;
}

// cli-runtime pkg/resource/visitor.go Info.Get: where an object is missing, its namespace may be.
sim::Task<Response> Kubectl::GetNamed(Info info, std::string ns, std::string name) {
  Request get = About(api::Verb::kGet, info, ns, std::move(name));
  Response response = co_await Send(std::move(get));
  if (response.code != 404 || !info->namespaced || ns == "default") co_return response;
  Request get_namespace = About(api::Verb::kGet, env_.kinds.ByName("namespaces"), "", ns);
  Response found = co_await Send(std::move(get_namespace));
  if (found.code == 404) co_return found;
  co_return response;
}

Kubectl::Info Kubectl::Resolve(const Value& object, StepOutcome* outcome) const {
  const std::string_view version = object.Get("apiVersion").AsString();
  const std::string_view kind = object.Get("kind").AsString();
  Info info = env_.kinds.ByKind(version, kind);
  if (info == nullptr)
    outcome->error =
        fmt::format("error: no matches for kind \"{}\" in version \"{}\"", kind, version);
  return info;
}

Object Kubectl::Prepared(Info info, const Manifest& manifest) const {
  Value tree = manifest.tree;
  static const value::Path ns_path{"metadata", "namespace"};
  if (info->namespaced && tree.Get(ns_path).is_null())
    tree = tree.Set(ns_path, Value::Of("default"));
  return Object::FromTree(std::move(tree));
}

sim::Task<StepOutcome> Kubectl::Run(const Step& step, EarlierTries& tries) {
  switch (step.kind) {
    case StepKind::kCreate:
      co_return co_await Create(step, tries);
    case StepKind::kApply:
      co_return co_await Apply(step);
    case StepKind::kReplace:
      co_return co_await Replace(step);
    case StepKind::kPatch:
      co_return co_await Patch(step);
    case StepKind::kDelete:
      co_return co_await Delete(step, tries);
    case StepKind::kScale:
      co_return co_await Scale(step);
    case StepKind::kLabel:
    case StepKind::kAnnotate:
      co_return co_await Mark(step);
    case StepKind::kCordon:
    case StepKind::kUncordon:
      co_return co_await Cordon(step);
    case StepKind::kWait:
      co_return co_await Wait(step);
    case StepKind::kDrain:
      co_return co_await Drain(step);
    case StepKind::kEvict:
      co_return co_await Evict(step, tries);
    default:
      break;
  }
  StepOutcome outcome;
  outcome.error = fmt::format("error: {} is no step of kubectl", ToString(step.kind));
  co_return outcome;
}

sim::Task<StepOutcome> Kubectl::Create(const Step& step, EarlierTries& tries) {
  StepOutcome outcome;
  for (const Manifest& manifest : step.objects) {
    Info info = Resolve(manifest.tree, &outcome);
    if (info == nullptr) co_return outcome;
    const Object object = Prepared(info, manifest);
    Request request = About(api::Verb::kCreate, info, std::string(object.ns()), "");
    request.body = object.tree();
    request.field_manager = "kubectl-create";
    request.field_validation = "Strict";
    const Response response = co_await Send(std::move(request));
    TellWarnings(response, &outcome);
    if (!tries.Settled(ObjectPath(*info, object.ns(), object.name()), response)) {
      outcome.error = ErrorText(response, "creating");
      co_return outcome;
    }
    const Object& made = response.object.empty() ? object : response.object;
    outcome.lines.push_back(Slashed(*info, made.name()) + " created");
  }
  co_return outcome;
}

// pkg/cmd/apply/{apply,patcher}.go, client side.
sim::Task<Response> Kubectl::ApplyOne(Info info, Object wanted, const char** done,
                                      StepOutcome* outcome) {
  const std::string ns(wanted.ns()), name(wanted.name());
  const Response current = co_await GetNamed(info, ns, name);
  *done = " created";
  const Value modified = WithLastApplied(wanted.tree());
  if (current.code == 404) {
    Request create = About(api::Verb::kCreate, info, ns, "");
    create.body = modified;
    create.field_manager = "kubectl-client-side-apply";
    create.field_validation = "Strict";
    co_return co_await Send(std::move(create));
  }
  if (current.code != 200) co_return current;
  const std::string_view last = current.object.Annotation(kLastApplied);
  if (!current.object.annotations().Has(kLastApplied))
    outcome->lines.push_back(MissingRecord(*info, name));
  absl::StatusOr<Value> original = value::ParseJson(last.empty() ? "{}" : last);
  const Value before = original.ok() ? *original : Value::EmptyObject();
  const Value now = current.object.ToTree();
  Value patch = value::CreateThreeWayJsonMergePatch(before, modified, now);
  api::PatchType type = api::PatchType::kMerge;
  const value::PatchSchema* schema = api::FindPatchSchema(info->api_version(), info->kind);
  if (schema != nullptr) {
    absl::StatusOr<Value> strategic =
        value::CreateThreeWayMergePatch(before, modified, now, schema, true);
    if (strategic.ok()) {
      patch = *std::move(strategic);
      type = api::PatchType::kStrategic;
    }
  }
  *done = " unchanged";
  if (patch.empty()) co_return current;
  *done = " configured";
  co_return co_await PatchObject(info, ns, name, patch, type, "", "kubectl-client-side-apply");
}

// pkg/cmd/apply/apply.go applyOneObject, server side.
sim::Task<Response> Kubectl::ApplyOnServer(Info info, Object wanted, const Step& step) {
  Request request =
      About(api::Verb::kPatch, info, std::string(wanted.ns()), std::string(wanted.name()));
  request.body = wanted.tree();
  request.patch_type = api::PatchType::kApply;
  request.field_manager = step.field_manager;
  request.field_validation = "Strict";
  request.force = step.force;
  co_return co_await Send(std::move(request));
}

sim::Task<StepOutcome> Kubectl::Apply(const Step& step) {
  StepOutcome outcome;
  for (const Manifest& manifest : step.objects) {
    Info info = Resolve(manifest.tree, &outcome);
    if (info == nullptr) co_return outcome;
    const Object object = Prepared(info, manifest);
    if (object.name().empty()) {
      outcome.error =
          fmt::format("error: from {}: cannot use generate name with apply", manifest.Name());
      co_return outcome;
    }
    const char* done = " serverside-applied";
    Response response;
    if (step.server_side) {
      response = co_await ApplyOnServer(info, object, step);
    } else {
      response = co_await ApplyOne(info, object, &done, &outcome);
    }
    TellWarnings(response, &outcome);
    if (response.code >= 400 || response.code == 0) {
      const bool creating = !step.server_side && done == std::string_view(" created");
      outcome.error = step.server_side && api::IsConflict(response.status)
                          ? ApplyConflictText(response.status)
                          : ErrorText(response, creating ? "creating" : "");
      co_return outcome;
    }
    outcome.lines.push_back(Slashed(*info, object.name()) + done);
  }
  co_return outcome;
}

// cli-runtime pkg/resource/helper.go Helper.Replace: without a version of its own the object takes
// that of the server's, if there is one, so that the PUT is unconditional in effect.
sim::Task<StepOutcome> Kubectl::Replace(const Step& step) {
  static const value::Path kVersion{"metadata", "resourceVersion"};
  StepOutcome outcome;
  for (const Manifest& manifest : step.objects) {
    Info info = Resolve(manifest.tree, &outcome);
    if (info == nullptr) co_return outcome;
    const Object object = Prepared(info, manifest);
    const std::string ns(object.ns()), name(object.name());
    Request put = About(api::Verb::kUpdate, info, ns, name);
    put.body = object.tree();
    put.field_manager = "kubectl-replace";
    put.field_validation = "Strict";
    const Value version = manifest.tree.Get(kVersion);
    if (version.AsString().empty()) {
      Request get = About(api::Verb::kGet, info, ns, name);
      const Response current = co_await Send(std::move(get));
      if (current.code == 200)
        put.body = object.WithResourceVersion(current.object.resource_version()).ToTree();
    } else {
      put.body = put.body.Set(kVersion, version);
    }
    const Response response = co_await Send(std::move(put));
    TellWarnings(response, &outcome);
    if (response.code >= 400 || response.code == 0) {
      outcome.error = ErrorText(response, "replacing");
      co_return outcome;
    }
    outcome.lines.push_back(Slashed(*info, name) + " replaced");
  }
  co_return outcome;
}

sim::Task<Response> Kubectl::PatchObject(Info info, std::string ns, std::string name, Value patch,
                                         api::PatchType type, std::string subresource,
                                         std::string manager) {
  Request request = About(api::Verb::kPatch, info, std::move(ns), std::move(name));
  request.subresource = std::move(subresource);
  request.body = std::move(patch);
  request.patch_type = type;
  request.field_manager = std::move(manager);
  co_return co_await Send(std::move(request));
}

sim::Task<StepOutcome> Kubectl::Patch(const Step& step) {
  StepOutcome outcome;
  Info info = env_.kinds.ByName(step.resource);
  const Response before = co_await GetNamed(info, step.ns, step.name);
  if (before.code != 200) {
    outcome.error = ErrorText(before);
    co_return outcome;
  }
  api::PatchType type = api::PatchType::kStrategic;
  if (step.patch_type == "merge") type = api::PatchType::kMerge;
  if (step.patch_type == "json") type = api::PatchType::kJson;
  const Response after = co_await PatchObject(info, step.ns, step.name, step.patch, type,
                                              step.subresource, "kubectl-patch");
  TellWarnings(after, &outcome);
  if (after.code >= 400 || after.code == 0) {
    outcome.error = ErrorText(after);
    co_return outcome;
  }
  const bool same = Unchanged(before.object, after.object);
  // patch.go names what came back.
  const std::string what = after.object.kind() == "Scale"
                               ? fmt::format("scale.autoscaling/{}", step.name)
                               : Slashed(*info, step.name);
  outcome.lines.push_back(what + (same ? " patched (no change)" : " patched"));
  co_return outcome;
}

// pkg/scale/scale.go scaleSimple: a merge patch of the scale subresource.
sim::Task<StepOutcome> Kubectl::Scale(const Step& step) {
  StepOutcome outcome;
  Info info = env_.kinds.ByName(step.resource);
  const Response before = co_await GetNamed(info, step.ns, step.name);
  if (before.code != 200) {
    outcome.error = ErrorText(before);
    co_return outcome;
  }
  const Value patch = value::Obj({{"spec", value::Obj({{"replicas", Value::Of(step.replicas)}})}});
  const Response after = co_await PatchObject(info, step.ns, step.name, patch,
                                              api::PatchType::kMerge, "scale", "kubectl-scale");
  if (after.code >= 400 || after.code == 0) {
    outcome.error = ErrorText(after);
    co_return outcome;
  }
  outcome.lines.push_back(Slashed(*info, step.name) + " scaled");
  co_return outcome;
}

sim::Task<Response> Kubectl::Targets(Info info, const Step& step) {
  if (step.name.empty()) {
    Request request = About(api::Verb::kList, info, step.ns, "");
    request.list.label_selector = step.selector;
    request.list.limit = 500;
    co_return co_await Send(std::move(request));
  }
  Response response = co_await GetNamed(info, step.ns, step.name);
  if (response.code == 200) response.items.push_back(response.object);
  co_return response;
}

sim::Task<StepOutcome> Kubectl::Mark(const Step& step) {
  StepOutcome outcome;
  Info info = env_.kinds.ByName(step.resource);
  const bool label = step.kind == StepKind::kLabel;
  if (label) outcome.error = BadLabelValue(step);
  if (!outcome.ok()) co_return outcome;
  const Response targets = co_await Targets(info, step);
  if (targets.code != 200) {
    outcome.error = ErrorText(targets);
    co_return outcome;
  }
  const char* field = label ? "labels" : "annotations";
  const char* manager = label ? "kubectl-label" : "kubectl-annotate";
  const Value patch = value::Obj({{"metadata", value::Obj({{field, MapOf(step)}})}});
  for (const Object& target : targets.items) {
    const Value& present = label ? target.labels() : target.annotations();
    outcome.error = RefusesToOverwrite(step, label, present);
    if (!outcome.ok()) co_return outcome;
    for (const auto& [key, v] : step.set)
      if (label && !v && !present.Has(key))
        outcome.lines.push_back(fmt::format("label \"{}\" not found.", key));
    const std::string done =
        fmt::format("{} {}", Slashed(*info, target.name()),
                    label ? Labelled(step, present, env_.compat) : "annotated");
    // Since 1.36 nothing is sent where there is nothing to change.
    if (env_.compat == api::Compat::k1_36 && done.ends_with(" not labeled")) {
      outcome.lines.push_back(done);
      continue;
    }
    const Response after =
        co_await PatchObject(info, std::string(target.ns()), std::string(target.name()), patch,
                             api::PatchType::kMerge, "", manager);
    if (after.code >= 400 || after.code == 0) {
      outcome.error = ErrorText(after);
      co_return outcome;
    }
    outcome.lines.push_back(done);
  }
  co_return outcome;
}

// pkg/drain/cordon.go.
sim::Task<StepOutcome> Kubectl::Cordon(const Step& step) {
  StepOutcome outcome;
  const bool cordon = step.kind == StepKind::kCordon;
  Info info = env_.kinds.ByName("nodes");
  Request get = About(api::Verb::kGet, info, "", step.name);
  const Response node = co_await Send(std::move(get));
  if (node.code != 200) {
    outcome.error = ErrorText(node);
    co_return outcome;
  }
  const std::string done = cordon ? "cordoned" : "uncordoned";
  if (node.object.spec().Get("unschedulable").AsBool() == cordon) {
    outcome.lines.push_back(fmt::format("node/{} already {}", step.name, done));
    co_return outcome;
  }
  const Value unschedulable = cordon ? Value::Of(true) : Value();
  const Value patch = value::Obj({{"spec", value::Obj({{"unschedulable", unschedulable}})}});
  const Response after = co_await PatchObject(info, "", step.name, patch,
                                              api::PatchType::kStrategic, "", "kubectl-cordon");
  if (after.code >= 400 || after.code == 0)
    outcome.error = ErrorText(after);
  else
    outcome.lines.push_back(fmt::format("node/{} {}", step.name, done));
  co_return outcome;
}

}  // namespace ksim::scenario
