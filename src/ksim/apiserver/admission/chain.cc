// Part of plugin.h: the plugins in their order, and the chain that runs them.
#include <algorithm>
#include <utility>

#include "ksim/apiserver/admission/plugin.h"
#include "ksim/apiserver/core/profile.h"
#include "ksim/apiserver/filters/authorization.h"
#include "ksim/apiserver/server.h"
#include "ksim/base/check.h"
#include "ksim/sim/process.h"

namespace ksim::apiserver {
namespace {

struct Entry {
  const char* name;
  std::unique_ptr<Plugin> (*make)(const PluginContext&);
  bool on_by_default;
  bool Profile::* since = nullptr;  // null: in every version
};

// AllOrderedPlugins, as far as they exist here. TaintNodesByCondition and
// StorageObjectInUseProtection are off unless who takes back what they do is there: see
// docs/fidelity.md; NodeRestriction and OwnerReferencesPermissionEnforcement are off upstream, too.
constexpr Entry kPlugins[] = {
    {"NamespaceLifecycle", MakeNamespaceLifecycle, true},
    {"LimitRanger", MakeLimitRanger, true},
    {"ServiceAccount", MakeServiceAccount, true},
    {"NodeRestriction", MakeNodeRestriction, false},
    {"TaintNodesByCondition", MakeTaintNodesByCondition, false},
    {"PodSecurity", MakePodSecurity, true},
    {"Priority", MakePriority, true},
    {"DefaultTolerationSeconds", MakeDefaultTolerationSeconds, true},
    {"DefaultStorageClass", MakeDefaultStorageClass, true},
    {"StorageObjectInUseProtection", MakeStorageProtection, false},
    {"OwnerReferencesPermissionEnforcement", MakeOwnerReferences, false},
    {"RuntimeClass", MakeRuntimeClass, true},
    {"PodTopologyLabels", MakePodTopologyLabels, true, &Profile::pod_topology_labels},
    {"MutatingAdmissionWebhook", MakeMutatingWebhooks, true},
    {"ValidatingAdmissionPolicy", MakeValidatingPolicies, true, &Profile::admission_policies},
    {"ValidatingAdmissionWebhook", MakeValidatingWebhooks, true},
    {"ResourceQuota", MakeResourceQuota, true},
};

}  // namespace

std::vector<std::string> DefaultAdmissionPlugins(api::Compat compat) {
  std::vector<std::string> names;
  const Profile& profile = apiserver::ProfileOf(compat);
  for (const Entry& entry : kPlugins) {
    const bool exists = entry.since == nullptr || profile.*entry.since;
    if (entry.on_by_default && exists) names.emplace_back(entry.name);
  }
  return names;
}

std::vector<std::string> AllAdmissionPlugins() {
  std::vector<std::string> names;
  for (const Entry& entry : kPlugins) names.emplace_back(entry.name);
  return names;
}

Attributes AttributesOf(Operation operation, RequestContext& rc) {
  Attributes a(operation, rc.resource());
  a.subresource = rc.request().subresource;
  a.ns = rc.request().ns;
  a.name = rc.request().name;
  a.user = rc.user;
  a.request = &rc;
  a.dry_run = rc.request().dry_run;
  a.identity = rc.identity;
  return a;
}

api::Status AdmissionForbidden(const Attributes& a, std::string_view why) {
  std::string name = a.name.str();
  if (name.empty() && a.object.is_object()) {
    const value::Value& metadata = a.object.Get("metadata");
    name = metadata.Get("name").AsString();
    if (name.empty()) name = metadata.Get("generateName").AsString();
  }
  if (name.empty()) name = "Unknown";
  return api::Forbidden(api::GroupResource(a.resource.group, a.resource.resource), name, why);
}

sim::Task<api::Status> Plugin::Admit(Attributes&) { return sim::Task<api::Status>(); }
bool Plugin::Validates(const Attributes&) const { return false; }
sim::Task<api::Status> Plugin::Validate(Attributes&) { return sim::Task<api::Status>(); }

PluginContext::PluginContext(sim::Process& p, Resources& r, Shared& s, const Authorizer& a)
    : sim(s.sim), process(p), resources(r), kinds(s.kinds), shared(s), authorizer(a) {}

AdmissionChain::AdmissionChain(const std::vector<std::string>& names, const PluginContext& context)
    : shared_(&context.shared) {
  const std::vector<std::string> all = AllAdmissionPlugins();
  for (const std::string& name : names) {
    KSIM_CHECK(std::find(all.begin(), all.end(), name) != all.end())
        << "no admission plugin " << name;
  }
  for (const Entry& entry : kPlugins) {
    if (std::find(names.begin(), names.end(), entry.name) != names.end())
      plugins_.push_back(entry.make(context));
  }
  if (context.authorizer.has_roles()) plugins_.push_back(MakeRoleEscalation(context));
}

sim::Task<api::Status> AdmissionChain::Admit(Attributes& a) {
  std::size_t next = 0;
  sim::Task<api::Status> first = StartNext(a, &next);
  return first.done() ? sim::Task<api::Status>() : RunRemaining(a, std::move(first), next);
}

// Starts the next plugin that has anything to do; returns an empty task if none is left.
sim::Task<api::Status> AdmissionChain::StartNext(Attributes& a, std::size_t* next) {
  while (*next < plugins_.size()) {
    Plugin& plugin = *plugins_[(*next)++];
    if (!plugin.Handles(a)) continue;
    sim::Task<api::Status> admitting = plugin.Admit(a);
    if (!admitting.done()) return admitting;
  }
  return sim::Task<api::Status>();
}

sim::Task<api::Status> AdmissionChain::RunRemaining(Attributes& a, sim::Task<api::Status> admitting,
                                                    std::size_t next) {
  while (!admitting.done()) {
    const api::Status status = co_await std::move(admitting);
    if (!status.ok()) co_return status;
    admitting = StartNext(a, &next);
    Reinvocation* const again = a.reinvocation.get();
    if (!admitting.done() || again == nullptr || !again->wanted || again->second_round) continue;
    // Begins the second and last round.
    again->second_round = true;
    next = 0;
    admitting = StartNext(a, &next);
  }
  co_return api::Status();
}

sim::Task<api::Status> AdmissionChain::Validate(Attributes& a) {
  for (std::size_t i = 0; i < plugins_.size(); ++i)
    if (plugins_[i]->Validates(a)) return JudgeFrom(a, i);
  return sim::Task<api::Status>();
}

sim::Task<api::Status> AdmissionChain::JudgeFrom(Attributes& a, std::size_t next) {
  for (; next < plugins_.size(); ++next) {
    if (!plugins_[next]->Validates(a)) continue;
    sim::Task<api::Status> judging = plugins_[next]->Validate(a);
    if (judging.done()) continue;
    const api::Status status = co_await std::move(judging);
    if (!status.ok()) co_return status;
  }
  co_return api::Status();
}

bool AdmissionChain::AsksWebhooks() const {
  return std::any_of(plugins_.begin(), plugins_.end(),
                     [](const auto& plugin) { return plugin->AsksWebhooks(); });
}

bool AdmissionChain::Judges() const {
  return std::any_of(plugins_.begin(), plugins_.end(),
                     [](const auto& plugin) { return plugin->Judges(); });
}

void AdmissionChain::NoteStored(const api::ResourceInfo& r) const {
  if (shared_ != nullptr) apiserver::NoteStored(*shared_, r);
}

void NoteStored(Shared& shared, const api::ResourceInfo& r) {
  if (r.group == "admissionregistration.k8s.io" && r.kind.ends_with("WebhookConfiguration"))
    shared.webhooks_stored = true;
  if (r.group == "admissionregistration.k8s.io" && r.kind.starts_with("ValidatingAdmissionPolicy"))
    shared.policies_stored = true;
  if (!r.group.empty()) return;
  if (r.resource == "resourcequotas") shared.quotas_stored = true;
  if (r.resource == "limitranges") shared.limit_ranges_stored = true;
}

}  // namespace ksim::apiserver
