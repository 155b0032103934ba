// ServiceAccount: names the service account of a pod that names none, mounts its token, and gives
// the pod its imagePullSecrets. Where a controller makes the accounts `default`, the account must
// exist; elsewhere it need not (docs/fidelity.md).
//
// Source: plugin/pkg/admission/serviceaccount/admission.go.
#include <fmt/format.h>

#include <utility>

#include "ksim/api/core/names.h"
#include "ksim/apiserver/admission/mountable_secrets.h"
#include "ksim/apiserver/admission/plugin.h"
#include "ksim/apiserver/cacher/resources.h"
#include "ksim/apiserver/server.h"
#include "ksim/sim/simulation.h"

namespace ksim::apiserver {
namespace {

using value::Arr;
using value::Obj;
using value::Path;
using value::Value;

constexpr std::string_view kVolume = "kube-api-access";
constexpr std::string_view kDefaultAccount = "default";
// How often an account that the cache lacks is looked up in etcd: `default` is about to be made.
constexpr int kAttempts = 1, kAttemptsForDefault = 10;
constexpr std::string_view kMountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

Value TokenVolume(std::string_view name) {
  const Value token =
      Obj({{"serviceAccountToken",
            Obj({{"expirationSeconds", Value::Of(3607)}, {"path", Value::Of("token")}})}});
  const Value ca =
      Obj({{"configMap", Obj({{"name", Value::Of("kube-root-ca.crt")},
                              {"items", Arr({Obj({{"key", Value::Of("ca.crt")},
                                                  {"path", Value::Of("ca.crt")}})})}})}});
  const Value ns = Obj(
      {{"downwardAPI",
        Obj({{"items", Arr({Obj({{"path", Value::Of("namespace")},
                                 {"fieldRef",
                                  Obj({{"apiVersion", Value::Of("v1")},
                                       {"fieldPath", Value::Of("metadata.namespace")}})}})})}})}});
  return Obj(
      {{"name", Value::Of(name)},
       {"projected", Obj({{"defaultMode", Value::Of(420)}, {"sources", Arr({token, ca, ns})}})}});
}

bool MountsToken(const Value& container) {
  for (const Value& mount : container.Get("volumeMounts").items()) {
    if (mount.Get("mountPath").AsString() == kMountPath) return true;
  }
  return false;
}

// Mounts the volume in every container of the list that has nothing at its place; says whether any.
bool MountInto(Value& pod, const char* list, const std::string& volume) {
  const Path path{"spec", list};
  std::vector<Value> containers;
  bool mounted = false;
  for (Value container : pod.Get(path).items()) {
    if (!MountsToken(container)) {
      const Value mount = Obj({{"name", Value::Of(volume)},
                               {"mountPath", Value::Of(kMountPath)},
                               {"readOnly", Value::Of(true)}});
      container = container.Set("volumeMounts", container.Get("volumeMounts").Append(mount));
      mounted = true;
    }
    containers.push_back(std::move(container));
  }
  if (mounted) pod = pod.Set(path, Value::Array(std::move(containers)));
  return mounted;
}

class ServiceAccount final : public Plugin {
 public:
  explicit ServiceAccount(const PluginContext& context)
      : context_(context),
        accounts_(context.resources.StorageFor(*context.kinds.ByResource("", "serviceaccounts"))),
        retry_site_(context.sim.decisions().Site("serviceaccount/retry")) {}
  std::string_view name() const override { return "ServiceAccount"; }
  bool Handles(const Attributes& a) const override {
    return a.operation == Operation::kCreate && a.Is("", "pods");
  }

  sim::Task<api::Status> Admit(Attributes& a) override {
    static const Path kMirror{"metadata", "annotations", "kubernetes.io/config.mirror"};
    if (a.object.Find(kMirror) != nullptr) co_return api::Status();
    static const Path kName{"spec", "serviceAccountName"};
    static const Path kOldName{"spec", "serviceAccount"};
    if (a.object.Get(kName).AsString().empty())
      a.object = a.object.Set(kName, Value::Of(kDefaultAccount));
    a.object = a.object.Set(kOldName, a.object.Get(kName));
    const std::string name(a.object.Get(kName).AsString());
    api::Object account = accounts_.Suggestion(a.ns, name);
    if (account.empty() && context_.shared.service_accounts_made) {
      const api::Result<api::Object> live = co_await LookUp(a.ns.str(), name, a.identity);
      if (!live.ok())
        co_return AdmissionForbidden(a, fmt::format("error looking up service account {}/{}: {}",
                                                    a.ns, name, live.status().message));
      account = *live;
    }
    if (Automounts(a, account)) MountToken(a);
    GivePullSecrets(a, account);
    const std::string refusal = SecretsRefusal(a.object, account);
    if (!refusal.empty()) co_return AdmissionForbidden(a, refusal);
    co_return api::Status();
  }

 private:
  // getServiceAccount, of an account that the cache does not have.
  sim::Task<api::Result<api::Object>> LookUp(std::string ns, std::string name,
                                             std::uint64_t identity) {
    const int attempts = name == kDefaultAccount ? kAttemptsForDefault : kAttempts;
    const Duration wait =
        Milliseconds(100 + context_.sim.decisions().Draw(retry_site_, identity, 100));
    for (int i = 0; i < attempts; ++i) {
      if (i > 0) co_await context_.sim.Sleep(wait, sim::TimerKind::kWork, "service account");
      api::Result<api::Object> found = co_await accounts_.storage().Get(ns, name, 0);
      if (found.ok() || !api::IsNotFound(found.status())) co_return found;
    }
    co_return api::NotFound(api::GroupResource("", "serviceaccount"), name);
  }

  static bool Automounts(const Attributes& a, const api::Object& account) {
    static const Path kOfPod{"spec", "automountServiceAccountToken"};
    static const Path kOfAccount{"automountServiceAccountToken"};
    if (a.object.Get(kOfPod).is_bool()) return a.object.Get(kOfPod).AsBool();
    return account.empty() || !account.Get(kOfAccount).is_bool() ||
           account.Get(kOfAccount).AsBool();
  }

  // A pod that names none has those of its account.
  static void GivePullSecrets(Attributes& a, const api::Object& account) {
    static const Path kSecrets{"spec", "imagePullSecrets"};
    if (account.empty() || !a.object.Get(kSecrets).empty()) return;
    std::vector<Value> secrets;
    for (const Value& secret : account.tree().Get("imagePullSecrets").items())
      secrets.push_back(Obj({{"name", secret.Get("name")}}));
    if (!secrets.empty()) a.object = a.object.Set(kSecrets, Value::Array(std::move(secrets)));
  }

  void MountToken(Attributes& a) const {
    static const Path kVolumes{"spec", "volumes"};
    std::string volume;
    for (const Value& v : a.object.Get(kVolumes).items()) {
      const std::string_view name = v.Get("name").AsString();
      if (volume.empty() && name.starts_with(std::string(kVolume) + "-")) volume = name;
    }
    const bool there = !volume.empty();
    if (!there)
      volume = api::GenerateName(context_.sim.decisions(), kVolume, a.identity,
                                 std::string(kVolume) + "-");
    bool needed = MountInto(a.object, "initContainers", volume);
    needed = MountInto(a.object, "containers", volume) || needed;
    if (needed && !there)
      a.object = a.object.Set(kVolumes, a.object.Get(kVolumes).Append(TokenVolume(volume)));
  }

  PluginContext context_;
  CacheDelegator& accounts_;
  sim::SiteId retry_site_;
};

}  // namespace

std::unique_ptr<Plugin> MakeServiceAccount(const PluginContext& context) {
  return std::make_unique<ServiceAccount>(context);
}

}  // namespace ksim::apiserver
