// PodSecurity: judges pods, and warns of templates, by the Pod Security Standards that the labels
// of their namespace name. It has nothing to judge while no namespace has such labels.
//
// Source: plugin/pkg/admission/security/podsecurity/admission.go; k8s.io/pod-security-admission
// admission/admission.go. API-270, API-271.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "ksim/api/rules/validation.h"
#include "ksim/apiserver/admission/plugin.h"
#include "ksim/apiserver/admission/podsecurity/checks.h"
#include "ksim/apiserver/admission/podsecurity/policy.h"
#include "ksim/apiserver/cacher/cacher.h"
#include "ksim/apiserver/cacher/resources.h"
#include "ksim/apiserver/core/profile.h"
#include "ksim/apiserver/server.h"

namespace ksim::apiserver {
namespace {

using podsecurity::Level;
using podsecurity::LevelVersion;
using podsecurity::Policy;
using podsecurity::Verdict;
using value::Path;
using value::Value;

constexpr std::size_t kMostPods = 3000;  // defaultNamespaceMaxPodsToCheck

const Value& LabelsOf(const Value& object) {
  static const Path kLabels{"metadata", "labels"};
  return object.Get(kLabels);
}

// Where the resource has its pods' metadata and spec: "" for a pod, null for any other resource.
const Path* TemplateOf(const api::ResourceInfo& r) {
  static const Path kTemplate{"spec", "template"};
  static const Path kJobTemplate{"spec", "jobTemplate", "spec", "template"};
  static const Path kOwn{"template"};
  static const std::set<std::string_view> kWithTemplate{
      "replicationcontrollers", "apps/replicasets", "apps/deployments",
      "apps/statefulsets",      "apps/daemonsets",  "batch/jobs"};
  const std::string name = r.group.empty() ? r.resource : r.group + "/" + r.resource;
  if (name == "batch/cronjobs") return &kJobTemplate;
  if (name == "podtemplates") return &kOwn;
  return kWithTemplate.contains(name) ? &kTemplate : nullptr;
}

// isSignificantPodUpdate: containers come or go, or have another image.
bool IsSignificant(const Value& pod, const Value& old) {
  const Value &spec = pod.Get("spec"), &before = old.Get("spec");
  for (const char* list : {"containers", "initContainers"}) {
    const Value &now = spec.Get(list), &then = before.Get(list);
    if (now.size() != then.size()) return true;
    for (std::size_t i = 0; i < now.size(); ++i)
      if (now.at(i).Get("image") != then.at(i).Get("image")) return true;
  }
  const Value& then = before.Get("ephemeralContainers");
  for (const Value& c : spec.Get("ephemeralContainers").items()) {
    const auto same = std::find_if(then.items().begin(), then.items().end(),
                                   [&c](const Value& o) { return o.Get("name") == c.Get("name"); });
    if (same == then.items().end() || same->Get("image") != c.Get("image")) return true;
  }
  return false;
}

class PodSecurity final : public Plugin {
 public:
  explicit PodSecurity(const PluginContext& context)
      : context_(context),
        namespaces_(context.resources.StorageFor(*context.kinds.ByResource("", "namespaces"))),
        pods_(context.resources.StorageFor(*context.kinds.ByResource("", "pods"))),
        newest_(apiserver::ProfileOf(context.shared.compat).newest_pod_security) {}
  std::string_view name() const override { return "PodSecurity"; }
  bool Judges() const override { return context_.shared.pod_security_stored; }

  // The first namespace with such labels makes the plugin judge.
  bool Handles(const Attributes& a) const override {
    return IsNamespaceWrite(a) && !context_.shared.pod_security_stored;
  }
  sim::Task<api::Status> Admit(Attributes& a) override {
    if (podsecurity::HasLabels(LabelsOf(a.object))) context_.shared.pod_security_stored = true;
    return sim::Task<api::Status>();
  }

  bool Validates(const Attributes& a) const override {
    if (!Judges() || a.operation == Operation::kDelete) return false;
    if (IsNamespaceWrite(a)) return true;
    if (IsPod(a)) return !IsIgnored(a.subresource);
    return a.subresource.empty() && TemplateOf(a.resource) != nullptr;
  }
  sim::Task<api::Status> Validate(Attributes& a) override {
    if (IsNamespaceWrite(a)) co_return JudgeNamespace(a);
    if (IsPod(a) && a.operation == Operation::kUpdate && !IsSignificant(a.object, a.old))
      co_return api::Status();
    api::Object ns = namespaces_.Suggestion("", a.ns);
    if (ns.empty()) {
      const api::Result<api::Object> live = co_await namespaces_.storage().Get("", a.ns, 0);
      if (!live.ok()) co_return api::Status();  // NamespaceLifecycle has seen to it
      ns = *live;
    }
    co_return JudgePod(a, ns);
  }

 private:
  static bool IsPod(const Attributes& a) {
    return a.resource.group.empty() && a.resource.resource == "pods";
  }
  static bool IsNamespaceWrite(const Attributes& a) {
    return a.operation != Operation::kDelete && a.Is("", "namespaces");
  }
  static bool IsIgnored(std::string_view subresource) {
    static const std::set<std::string_view> kIgnored{"exec", "attach",      "binding", "eviction",
                                                     "log",  "portforward", "proxy",   "status"};
    return kIgnored.contains(subresource);
  }

  Policy PolicyOf(const Value& object, api::FieldErrors* errors) const {
    api::FieldErrorList list(context_.shared.compat);
    const Policy policy = podsecurity::PolicyOf(LabelsOf(object), &list);
    *errors = list.Take();
    return policy;
  }

  // ValidateNamespace.
  api::Status JudgeNamespace(const Attributes& a) {
    api::FieldErrors errors, old_errors;
    const Policy policy = PolicyOf(a.object, &errors);
    const Policy old = PolicyOf(a.old, &old_errors);
    const std::string ns(a.object.Get("metadata").Get("name").AsString());
    const bool creates = a.operation == Operation::kCreate;
    const bool same_errors = !creates && errors.size() == old_errors.size() &&
                             std::equal(errors.begin(), errors.end(), old_errors.begin(),
                                        [](const auto& x, const auto& y) {
                                          return x.field == y.field && x.message == y.message;
                                        });
    if (!errors.empty() && !same_errors) return api::InvalidObject(a.resource, ns, errors);
    const LevelVersion &now = policy.enforce, &then = old.enforce;
    const bool stricter = now != then && now.level != Level::kPrivileged &&
                          (now.minor != then.minor || now.level > then.level);
    if (!creates && stricter && a.request != nullptr)
      for (std::string& text : WarningsOfExisting(ns, now)) a.request->Warn(std::move(text));
    return api::Status();
  }

  // EvaluatePodsInNamespace: one pod of each controller first.
  std::vector<std::string> WarningsOfExisting(const std::string& ns, const LevelVersion& level) {
    std::vector<api::Object> first, others;
    std::set<std::string> controllers;
    for (const api::Object& pod : pods_.cacher()->cache().List(ns + "/", "")) {
      const auto owner = pod.controller();
      const bool seen = owner && !controllers.insert(owner->uid).second;
      (seen ? others : first).push_back(pod);
    }
    first.insert(first.end(), others.begin(), others.end());
    std::map<std::string, std::pair<std::string, int>> found;  // name and count, by the reasons
    std::vector<std::string> out;
    const std::size_t checked = std::min(first.size(), kMostPods);
    for (std::size_t i = 0; i < checked; ++i) {
      const Verdict verdict =
          podsecurity::Evaluate(level, newest_, first[i].metadata(), first[i].spec());
      if (verdict.allowed()) continue;
      auto& [name, count] = found[verdict.Reason()];
      if (count++ == 0 || first[i].name() < name) name = first[i].name();
    }
    if (checked < first.size())
      out.push_back(
          fmt::format("new PodSecurity enforce level only checked against the first {} "
                      "of {} existing pods",
                      checked, first.size()));
    if (found.empty()) return out;
    out.push_back(
        fmt::format("existing pods in namespace \"{}\" violate the new PodSecurity "
                    "enforce level \"{}\"",
                    ns, level.ToString()));
    std::vector<std::string> pods;
    for (const auto& [reason, pod] : found) {
      const int more = pod.second - 1;
      pods.push_back(more == 0 ? fmt::format("{}: {}", pod.first, reason)
                               : fmt::format("{} (and {} other {}): {}", pod.first, more,
                                             more == 1 ? "pod" : "pods", reason));
    }
    std::sort(pods.begin(), pods.end());
    out.insert(out.end(), pods.begin(), pods.end());
    return out;
  }

  // ValidatePod, ValidatePodController, EvaluatePod.
  api::Status JudgePod(const Attributes& a, const api::Object& ns) {
    api::FieldErrors errors;
    const Policy policy = PolicyOf(ns.tree(), &errors);
    const bool enforces = IsPod(a);
    if (enforces && errors.empty() && policy.IsFullyPrivileged()) {
      Annotate(a, "enforce-policy", policy.enforce.ToString());
      return api::Status();
    }
    const bool tells = policy.warn.level != Level::kPrivileged ||
                       policy.audit.level != Level::kPrivileged || !errors.empty();
    if (!enforces && !tells) return api::Status();
    const Path* const way = TemplateOf(a.resource);
    const Value& pod = enforces ? a.object : a.object.Get(*way);
    if (pod.is_null()) return api::Status();
    const auto judge = [&](const LevelVersion& level) {
      return podsecurity::Evaluate(level, newest_, pod.Get("metadata"), pod.Get("spec"));
    };
    if (!errors.empty()) Annotate(a, "error", "Failed to parse policy: " + ToAggregate(errors));
    api::Status refused;
    if (enforces) {
      Annotate(a, "enforce-policy", policy.enforce.ToString());
      const Verdict verdict = judge(policy.enforce);
      if (!verdict.allowed())
        refused = AdmissionForbidden(a, fmt::format("violates PodSecurity \"{}\": {}",
                                                    policy.enforce.ToString(), verdict.Detail()));
    }
    const Verdict audited = judge(policy.audit);
    if (!audited.allowed())
      Annotate(a, "audit-violations",
               fmt::format("would violate PodSecurity \"{}\": {}", policy.audit.ToString(),
                           audited.Detail()));
    if (!refused.ok()) return refused;
    const Verdict warned = judge(policy.warn);
    if (!warned.allowed() && a.request != nullptr)
      a.request->Warn(fmt::format("would violate PodSecurity \"{}\": {}", policy.warn.ToString(),
                                  warned.Detail()));
    return api::Status();
  }

  static std::string ToAggregate(const api::FieldErrors& errors) {
    std::string out;
    for (const api::StatusCause& e : errors)
      out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", e.field, e.message);
    return errors.size() == 1 ? out : "[" + out + "]";
  }

  static void Annotate(const Attributes& a, std::string_view key, std::string text) {
    if (a.request != nullptr)
      a.request->Annotate(fmt::format("{}{}", podsecurity::kPrefix, key), std::move(text));
  }

  PluginContext context_;
  CacheDelegator& namespaces_;
  CacheDelegator& pods_;
  const int newest_;
};

}  // namespace

std::unique_ptr<Plugin> MakePodSecurity(const PluginContext& context) {
  return std::make_unique<PodSecurity>(context);
}

}  // namespace ksim::apiserver
