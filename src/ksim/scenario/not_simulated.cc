#include "ksim/scenario/not_simulated.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "absl/status/statusor.h"
#include "ksim/api/kinds.h"
#include "ksim/controllers/cronjob/schedule_times.h"
#include "ksim/controllers/kind_effects.h"
#include "ksim/controllers/registry.h"
#include "ksim/fault/injector.h"
#include "ksim/scenario/controller_parts.h"
#include "ksim/scenario/gaps/object_gaps.h"
#include "ksim/scenario/guest_services.h"
#include "ksim/scenario/metrics/cluster_metrics.h"
#include "ksim/scenario/parse.h"
#include "ksim/scenario/pod_spec_gaps.h"
#include "ksim/scenario/step_scheduler.h"
#include "ksim/value/json.h"
#include "ksim/value/timestamp.h"

namespace ksim::scenario {
namespace {

using controllers::ControllerInfo;
using controllers::Effect;
using controllers::KindEffect;
using value::Value;

// plugin/pkg/admission/defaulttolerationseconds: then pods of a node that is not ready are evicted.
constexpr Duration kDefaultToleration = Seconds(300);
constexpr std::string_view kVolumeBinder = "persistentvolume-binder";

Value At(Value tree, std::string_view way) {
  while (!way.empty()) {
    const std::size_t dot = std::min(way.find('.'), way.size());
    tree = tree.Get(way.substr(0, dot));
    way.remove_prefix(std::min(dot + 1, way.size()));
  }
  return tree;
}

bool WritesObjects(const Step& step) {
  return step.kind == StepKind::kCreate || step.kind == StepKind::kApply ||
         step.kind == StepKind::kReplace;
}

std::string NamespaceOf(const Manifest& manifest) {
  return std::string(manifest.tree.Get("metadata").Get("namespace").AsString());
}

std::string Without(const ControllerInfo& controller) {
  return fmt::format("no {} in this run", controller.Title());
}

std::string NoAddress(const ControllerInfo& controller) {
  return Without(controller) + ": no cloud gives a LoadBalancer an address, and it stays pending";
}

// Whether pods name objects of the kind.
bool IsNamedByPods(std::string_view kind) {
  return kind == "ConfigMap" || kind == "Secret" || kind == "ServiceAccount";
}

std::string KeyOf(const Manifest& manifest) {
  return ObjectNameOf(manifest.Kind(), NamespaceOf(manifest), manifest.Name());
}

}  // namespace

class NotSimulatedFinder::Impl {
 public:
  Impl(const Scenario& scenario, const api::Kinds& kinds, const std::string& file, Clients clients)
      : scenario_(scenario), kinds_(kinds), file_(file), clients_(clients) {
    for (const Manifest& m : scenario_.initial) Note(m);
    for (const Step& step : scenario_.steps)
      for (const Manifest& m : step.objects) Note(m);
    for (const std::string& node : scenario_.cluster.NodeNames()) nodes_.insert(node);
  }

  void LookAtScenario() {
    for (std::size_t i = 0; i < scenario_.steps.size(); ++i) {
      const Step& step = scenario_.steps[i];
      LookAtStep(step, fmt::format("step {} ({} {})", i + 1, ToString(step.kind), TargetOf(step)));
    }
    for (std::size_t i = 0; i < scenario_.faults.size(); ++i)
      LookAtFault(scenario_.faults[i], static_cast<int>(i) + 1);
  }

  void LookAtStep(const Step& step, const std::string& subject) {
    if (step.kind == StepKind::kAddNode)
      for (const std::string& node : step.node.Names()) nodes_.insert(node);
    if (WritesObjects(step))
      for (const Manifest& m : step.objects) LookAtObject(m, step);
    const auto add = [&](const ControllerInfo* missing, std::string message) {
      Add(subject, missing, std::move(message), file_, step.span);
    };
    LookAtMadeObject(step, add);
    if (step.kind == StepKind::kRemoveNode) LookAtDeletedNode(add);
    if (step.kind == StepKind::kDelete)
      for (const api::ResourceInfo* kind : TargetsOf(step)) LookAtDelete(step, *kind, add);
    const api::ResourceInfo* target = kinds_.ByName(step.resource);
    if (step.kind == StepKind::kPatch && target != nullptr && IsNode(*target))
      LookAtTaints(step.patch, add);
  }

  // Notes the object, and the kinds of owners that it names.
  void Note(const Manifest& manifest) {
    const std::string kind = manifest.Kind();
    if (kind == "Node") nodes_.insert(manifest.Name());
    if (IsNamedByPods(kind)) objects_.insert(KeyOf(manifest));
    for (const Value& owner : manifest.tree.Get("metadata").Get("ownerReferences").items())
      owners_.insert(std::string(owner.Get("kind").AsString()));
  }

  void Forget(const Manifest& manifest) {
    const std::string kind = manifest.Kind();
    if (kind == "Node") nodes_.erase(manifest.Name());
    if (IsNamedByPods(kind)) objects_.erase(KeyOf(manifest));
  }

  std::vector<NotSimulated> Take() { return std::exchange(found_, {}); }

 private:
  // Whether the work of a component that the cluster does not run is left to clients outside.
  bool IsOthers(std::string_view component) const {
    return scenario_.cluster.HasGuestFor(component) ||
           (clients_ == Clients::kOutsideToo && scenario_.cluster.LeavesToOthers(component));
  }

  const ControllerInfo* Missing(std::string_view name) const {
    if (IsOthers("kube-controller-manager")) return nullptr;
    return MissingController(scenario_.cluster, scenario_.compat, name);
  }

  void Add(std::string subject, const ControllerInfo* controller, std::string message,
           std::string file, const Span& span) {
    if (!said_.insert(message).second) return;
    NotSimulated& one = found_.emplace_back();
    one.subject = std::move(subject);
    if (controller != nullptr) one.controller = controller->upstream;
    one.message = std::move(message);
    one.file = std::move(file);
    if (span.line > 0) one.span = span;  // else --set put it there
  }

  void AddAt(const Manifest& manifest, std::string_view field, std::string subject,
             const ControllerInfo* controller, std::string message) {
    const Span span = SpanOfField(manifest, field, Part::kKey);
    Add(std::move(subject), controller, std::move(message),
        manifest.file ? manifest.file->name : file_, span);
  }

  // --- objects ---

  void LookAtObject(const Manifest& manifest, const Step& step) {
    const api::ResourceInfo* info = kinds_.ByKind(manifest.ApiVersion(), manifest.Kind());
    if (info == nullptr) return;
    const KindEffect* row = controllers::EffectOf(info->group, info->kind);
    if (row == nullptr && !info->custom) return;
    // A client outside writes from no file.
    if (info->has_status && manifest.file != nullptr && IsPrinted(manifest.tree))
      AddAt(manifest, "status", info->kind, nullptr, std::string(kNoStatus));
    if (info->kind == "Service" && !info->custom) LookAtService(manifest);
    if (!LookAtKind(manifest, row) || info->custom) return;
    const auto serves = [this](const apiserver::WebhookTarget& target) {
      const std::vector<GuestSpec>& guests = scenario_.cluster.guests;
      return std::any_of(guests.begin(), guests.end(),
                         [&](const GuestSpec& guest) { return LeadsTo(guest, target); });
    };
    if (std::string gap = ConversionGap(manifest.tree, serves); !gap.empty())
      AddAt(manifest, "spec.conversion", info->kind, nullptr, std::move(gap));
    if (info->kind == "Node") LookAtNode(manifest);
    if (info->kind == "Secret") LookAtSecret(manifest);
    if (info->kind == "StatefulSet") LookAtClaimTemplates(manifest);
    if (info->kind == "CronJob") LookAtSchedule(manifest, step);
    if (info->kind == "HorizontalPodAutoscaler" && scenario_.cluster.metrics.empty())
      AddAt(manifest, "kind", info->kind, nullptr, std::string(kNoMetrics));
    LookAtPodSpec(manifest);
  }

  // Whether something becomes of an object of the kind; a null row is that of a custom kind.
  bool LookAtKind(const Manifest& manifest, const KindEffect* row) {
    const std::string kind = manifest.Kind();
    const bool waits = row == nullptr || row->effect == Effect::kNeedsController;
    const ControllerInfo* missing =
        row == nullptr || row->controller.empty() ? nullptr : Missing(row->controller);
    const bool others = IsOthers("kube-controller-manager") || !scenario_.cluster.guests.empty() ||
                        RunsOwnController(scenario_.cluster);
    if (row == nullptr && others) return true;  // a custom kind is for who brought it
    if (row == nullptr && IsParameter(manifest)) return true;
    if (row != nullptr && row->effect == Effect::kSimulated) return true;
    if (row != nullptr && row->with_rbac && scenario_.cluster.rbac) return true;
    if (row != nullptr && !row->controller.empty() && missing == nullptr) return true;
    if (!waits) {
      AddAt(manifest, "kind", kind, missing,
            fmt::format("{} has no effect in this run: {}", kind,
                        row->controller == kVolumeBinder ? unbound_ : row->text));
      return false;
    }
    const std::string what(row == nullptr ? "nothing will follow" : row->text);
    AddAt(manifest, "kind", kind, missing, NoController(kind, missing) + ": " + what);
    return false;
  }

  // Whether an admission policy of the run is judged with objects of the kind.
  bool IsParameter(const Manifest& manifest) const {
    for (const Step& step : scenario_.steps) {
      for (const Manifest& other : step.objects) {
        const Value& param = other.tree.Get("spec").Get("paramKind");
        if (other.Kind() == "ValidatingAdmissionPolicy" &&
            param.Get("apiVersion").AsString() == manifest.ApiVersion() &&
            param.Get("kind").AsString() == manifest.Kind())
          return true;
      }
    }
    return false;
  }

  std::string NoController(std::string_view kind, const ControllerInfo* missing) const {
    std::string who = fmt::format("no controller for {} in this run", kind);
    if (!scenario_.cluster.Runs("kube-controller-manager"))
      who += " (spec.cluster.components leaves kube-controller-manager out)";
    else if (missing != nullptr && missing->make != nullptr)
      who += fmt::format(" (spec.cluster.controllers leaves {} out)", missing->name);
    return who;
  }

  void LookAtClaimTemplates(const Manifest& manifest) {
    const ControllerInfo* missing = Missing(kVolumeBinder);
    if (missing == nullptr || manifest.tree.Get("spec").Get("volumeClaimTemplates").empty()) return;
    AddAt(manifest, "spec.volumeClaimTemplates", "PersistentVolumeClaim", missing,
          fmt::format("PersistentVolumeClaim has no effect in this run: {}", unbound_));
  }

  // Whether the run ends before the CronJob's first start.
  void LookAtSchedule(const Manifest& manifest, const Step& step) {
    const api::Object cron_job = api::Object::FromTree(manifest.tree);
    const auto schedule = controllers::ParseCronSchedule(cron_job);
    if (clients_ == Clients::kOutsideToo || !schedule.ok() ||
        cron_job.spec().Get("suspend").AsBool())
      return;
    const std::optional<VirtualTime> first =
        schedule->Next(VirtualTime() + step.at.value_or(Duration()));
    if (!first || *first - VirtualTime() <= EndOfRun()) return;
    AddAt(manifest, "spec.schedule", "CronJob", nullptr,
          fmt::format("a CronJob starts nothing in this run, which ends before {}: spec.until says "
                      "how long a run goes on",
                      value::FormatTimestamp(*first)));
  }

  // The least that a run lasts: a first start that is near is waited for.
  Duration EndOfRun() const {
    if (scenario_.until) return *scenario_.until;
    Duration last;
    for (const Step& step : scenario_.steps) last = std::max(last, step.at.value_or(Duration()));
    return last + controllers::kFirstStartHorizon;
  }

  void LookAtSecret(const Manifest& manifest) {
    const ControllerInfo* missing = Missing("serviceaccount-token");
    if (missing == nullptr ||
        manifest.tree.Get("type").AsString() != "kubernetes.io/service-account-token")
      return;
    AddAt(manifest, "type", "Secret", missing,
          Without(*missing) + ": a Secret for a token of a service account stays empty");
  }

  void LookAtService(const Manifest& manifest) {
    const ControllerInfo* missing = Missing("service");
    if (missing == nullptr || manifest.tree.Get("spec").Get("type").AsString() != "LoadBalancer")
      return;
    AddAt(manifest, "spec.type", "Service", missing, NoAddress(*missing));
  }

  void LookAtNode(const Manifest& manifest) {
    if (const ControllerInfo* missing = Missing("nodelifecycle"))
      AddAt(manifest, "kind", "Node", missing,
            Without(*missing) +
                ": a Node without a kubelet is not tainted, and pods are bound to it");
    LookAtTaints(manifest.tree, [&](const ControllerInfo* missing, std::string message) {
      AddAt(manifest, "spec.taints", "Node", missing, std::move(message));
    });
  }

  template <class Say>
  void LookAtTaints(const Value& tree, Say say) {
    const ControllerInfo* missing = Missing("tainteviction");
    if (missing == nullptr || value::ToJson(tree).find("\"NoExecute\"") == std::string::npos)
      return;
    say(missing,
        Without(*missing) + ": pods that do not tolerate a taint with NoExecute stay on its node");
  }

  void LookAtPodSpec(const Manifest& manifest) {
    const std::string way(WayToPodSpec(manifest.Kind()));
    if (way.empty()) return;
    const Value spec = At(manifest.tree, way);
    PodSpecServices services;
    services.refuses_without_account = Missing("serviceaccount") == nullptr;
    if (Missing(kVolumeBinder) != nullptr) services.unbound = unbound_;
    services.images = &scenario_.cluster.images;
    services.makes_ephemeral_claims = Missing("ephemeral-volume") == nullptr;
    for (PodSpecGap& gap : GapsOfPodSpec(spec, NamespaceOf(manifest), objects_, services))
      AddAt(manifest, way + "." + gap.field, std::move(gap.subject), nullptr,
            std::move(gap.message));
    LookAtScheduler(manifest, way, spec);
    LookAtNodeName(manifest, way + ".nodeName", std::string(spec.Get("nodeName").AsString()));
  }

  void LookAtScheduler(const Manifest& manifest, const std::string& way, const Value& spec) {
    if (IsOthers("kube-scheduler")) return;
    const std::string name(spec.Get("schedulerName").AsString());
    if (!name.empty() && name != "default-scheduler")
      AddAt(manifest, way + ".schedulerName", manifest.Kind(), nullptr,
            fmt::format("no scheduler {} in this run: its pods stay Pending", name));
    else if (!scenario_.cluster.Runs("kube-scheduler") && !spec.Has("nodeName"))
      AddAt(manifest, "kind", manifest.Kind(), nullptr,
            "no kube-scheduler in this run (spec.cluster.components leaves it out): pods stay "
            "Pending");
  }

  void LookAtNodeName(const Manifest& manifest, const std::string& field, const std::string& node) {
    const ControllerInfo* missing = Missing("podgc");
    if (node.empty() || nodes_.contains(node) || missing == nullptr) return;
    AddAt(manifest, field, manifest.Kind(), missing,
          fmt::format("{}: a pod bound to {}, a node that is not there, stays Pending",
                      Without(*missing), node));
  }

  // --- steps ---

  // A step that makes an object without a manifest of it.
  template <class Say>
  void LookAtMadeObject(const Step& step, const Say& say) {
    if (step.kind == StepKind::kAutoscale) {
      const ControllerInfo* missing = Missing("horizontalpodautoscaler");
      if (missing != nullptr)
        say(missing, NoController("HorizontalPodAutoscaler", missing) + ": nothing will follow");
      else if (scenario_.cluster.metrics.empty())
        say(missing, std::string(kNoMetrics));
    }
    if (step.kind == StepKind::kExpose && step.service_type == "LoadBalancer")
      if (const ControllerInfo* missing = Missing("service")) say(missing, NoAddress(*missing));
  }

  std::vector<const api::ResourceInfo*> TargetsOf(const Step& step) const {
    std::vector<const api::ResourceInfo*> out;
    const auto add = [&out](const api::ResourceInfo* kind) {
      if (kind != nullptr && std::find(out.begin(), out.end(), kind) == out.end())
        out.push_back(kind);
    };
    for (const Manifest& m : step.objects) add(kinds_.ByKind(m.ApiVersion(), m.Kind()));
    if (step.objects.empty()) add(kinds_.ByName(step.resource));
    return out;
  }

  template <class Say>
  void LookAtDeletedNode(const Say& say) {
    if (const ControllerInfo* missing = Missing("podgc"))
      say(missing, Without(*missing) + ": the pods of a deleted node stay as they are");
  }

  static bool IsNode(const api::ResourceInfo& kind) { return kind.kind == "Node" && !kind.custom; }

  template <class Say>
  void LookAtDelete(const Step& step, const api::ResourceInfo& kind, const Say& say) {
    if (IsNode(kind)) LookAtDeletedNode(say);
    if (const ControllerInfo* missing = Missing("namespace");
        missing != nullptr && kind.kind == "Namespace" && !kind.custom)
      say(missing, fmt::format("{}: a deleted Namespace stays Terminating with what is in it{}",
                               Without(*missing), step.wait ? ", and the step never ends" : ""));
    const ControllerInfo* missing = Missing("garbagecollector");
    if (missing == nullptr) return;
    if (step.cascade != "background")
      say(missing,
          fmt::format("{}: a {} deleted with cascade: {} keeps its finalizer{}", Without(*missing),
                      kind.kind, step.cascade, step.wait ? ", and the step never ends" : ""));
    else if (OwnsSomething(kind))
      say(missing, fmt::format("{}: what a deleted {} owns stays", Without(*missing), kind.kind));
  }

  // Whether objects of the kind may own others: a controller of this run makes some for them, or an
  // object of the scenario names one as its owner.
  bool OwnsSomething(const api::ResourceInfo& kind) const {
    if (owners_.contains(kind.kind)) return true;
    const ControllerInfo* keeper = kind.custom ? nullptr : controllers::ControllerOf(kind.resource);
    return keeper != nullptr && Missing(keeper->name) == nullptr;
  }

  // --- faults ---

  // Whether a fault lasts so long that controllers of a real cluster act. Without an argument that
  // says how long it may last for ever.
  static bool Lasts(const FaultSpec& fault, std::string_view argument, Duration at_least) {
    const Value& value = fault.args.Get(argument);
    if (value.is_null()) return true;
    const absl::StatusOr<Duration> length = ParseDuration(value.AsString());
    return length.ok() && *length >= at_least;
  }

  static bool IsKubelet(const Value& name) { return name.AsString().starts_with("kubelet/"); }

  bool IsResumed(const Value& actor) const {
    return std::any_of(scenario_.faults.begin(), scenario_.faults.end(), [&](const FaultSpec& f) {
      return f.verb == "resume" && f.args.Get("actor") == actor;
    });
  }

  bool SilencesANode(const FaultSpec& fault) const {
    const Duration grace = controllers::ProfileOf(scenario_.compat).node_monitor_grace_period;
    const Value& args = fault.args;
    if (fault.verb == "crash") return IsKubelet(args.Get("process")) && Lasts(fault, "down", grace);
    if (fault.verb == "pause")
      return IsKubelet(args.Get("actor")) && !IsResumed(args.Get("actor")) &&
             Lasts(fault, "for", grace);
    if (fault.verb == "nodeSilent") return Lasts(fault, "for", grace);
    if (fault.verb != "partition") return false;
    bool kubelet = false;
    for (const Value& end : args.Get("between").items()) kubelet = kubelet || IsKubelet(end);
    return kubelet && Lasts(fault, "for", grace);
  }

  void LookAtFault(const FaultSpec& fault, int number) {
    const auto add = [&](const ControllerInfo* missing, std::string_view what) {
      Add(fmt::format("fault {} ({} {})", number, fault.verb, fault::TargetOf(fault)), missing,
          fmt::format("{}: {}", Without(*missing), what), file_, fault.span);
    };
    const ControllerInfo* missing = Missing("nodelifecycle");
    if (missing == nullptr) return;
    if (SilencesANode(fault))
      add(missing, "a node that is silent stays Ready, and keeps its pods");
    else if (fault.verb == "nodeTrouble" && fault.args.Get("with").AsString() == "network" &&
             Lasts(fault, "for", kDefaultToleration))
      add(missing, "a node that is not ready keeps its pods");
  }

  const Scenario& scenario_;
  const api::Kinds& kinds_;
  const std::string& file_;
  const Clients clients_;
  const std::string_view unbound_ = FateOfUnboundClaims(scenario_.cluster, scenario_.compat);
  std::set<std::string> nodes_;   // those that the cluster, a step or an object names
  ObjectNames objects_;           // those that pods may name
  std::set<std::string> owners_;  // the kinds of owners that objects name
  std::set<std::string> said_;
  std::vector<NotSimulated> found_;
};

NotSimulatedFinder::NotSimulatedFinder(const Scenario& scenario, const api::Kinds& kinds,
                                       const std::string& file, Clients clients)
    : impl_(std::make_unique<Impl>(scenario, kinds, file, clients)) {}
NotSimulatedFinder::~NotSimulatedFinder() = default;
void NotSimulatedFinder::LookAtScenario() { impl_->LookAtScenario(); }
void NotSimulatedFinder::LookAtStep(const Step& step, const std::string& subject) {
  impl_->LookAtStep(step, subject);
}
void NotSimulatedFinder::Note(const Manifest& manifest) { impl_->Note(manifest); }
void NotSimulatedFinder::Forget(const Manifest& manifest) { impl_->Forget(manifest); }
std::vector<NotSimulated> NotSimulatedFinder::Take() { return impl_->Take(); }

std::vector<NotSimulated> NotSimulatedIn(const Scenario& scenario, const std::string& file,
                                         Clients clients) {
  api::Kinds kinds;
  LearnKinds(kinds, scenario);
  NotSimulatedFinder finder(scenario, kinds, file, clients);
  finder.LookAtScenario();
  return finder.Take();
}

Value ToTree(const std::vector<NotSimulated>& list) {
  std::vector<Value> trees;
  for (const NotSimulated& one : list)
    trees.push_back(value::Obj({{"subject", Value::Of(one.subject)},
                                {"controller", Value::Of(one.controller)},
                                {"message", Value::Of(one.message)},
                                {"file", Value::Of(one.file)},
                                {"line", Value::Of(one.span.line)},
                                {"column", Value::Of(one.span.column)}}));
  return Value::Array(std::move(trees));
}

std::vector<Diagnostic> ToDiagnostics(const std::vector<NotSimulated>& list,
                                      Diagnostic::Severity severity) {
  std::vector<Diagnostic> out;
  for (const NotSimulated& one : list) {
    Diagnostic& d = out.emplace_back();
    d.severity = severity;
    d.file = one.file;
    d.span = one.span;
    d.message = one.message;
  }
  return out;
}

}  // namespace ksim::scenario
