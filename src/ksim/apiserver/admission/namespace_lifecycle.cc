// NamespaceLifecycle: refuses to create objects in a namespace that is missing or terminating, and
// to delete the system's namespaces.
//
// Source: apiserver pkg/admission/plugin/namespace/lifecycle/admission.go.
#include <fmt/format.h>

#include <array>
#include <functional>
#include <utility>

#include "absl/container/btree_map.h"
#include "ksim/apiserver/admission/plugin.h"
#include "ksim/apiserver/cacher/resources.h"
#include "ksim/sim/simulation.h"

namespace ksim::apiserver {
namespace {

constexpr Duration kMissingNamespaceWait = Milliseconds(50);
constexpr Duration kForceLiveLookup = Seconds(30);
constexpr std::array<std::string_view, 3> kImmortal = {"default", "kube-system", "kube-public"};

class NamespaceLifecycle final : public Plugin {
 public:
  explicit NamespaceLifecycle(const PluginContext& context)
      : context_(context),
        namespaces_(context.resources.StorageFor(*context.kinds.ByResource("", "namespaces"))) {}
  std::string_view name() const override { return "NamespaceLifecycle"; }
  bool Handles(const Attributes& a) const override {
    const bool deletes = a.operation == Operation::kDelete;
    if (deletes && !a.old.is_null()) return false;  // it was judged before the object was read
    return IsNamespace(a) ? deletes : !deletes && !a.ns.empty();
  }

  // An update only needs the namespace to exist, and mostly it does.
  sim::Task<api::Status> Admit(Attributes& a) override {
    api::Object found;
    if (a.operation != Operation::kDelete) found = namespaces_.Suggestion("", a.ns);
    const bool there = !found.empty() && !deleted_.contains(a.ns.view());
    if (a.operation == Operation::kUpdate && there) return sim::Task<api::Status>();
    return Judge(a, std::move(found));
  }

 private:
  static bool IsNamespace(const Attributes& a) {
    return a.resource.group.empty() && a.resource.resource == "namespaces";
  }

  // `found`: the namespace as the cache has it.
  sim::Task<api::Status> Judge(Attributes& a, api::Object found) {
    if (a.operation == Operation::kDelete) co_return AdmitDeletion(a);
    if (found.empty() && a.operation == Operation::kCreate) {
      co_await context_.sim.Sleep(kMissingNamespaceWait, sim::TimerKind::kWork,
                                  "missing namespace");
      found = namespaces_.Suggestion("", a.ns);
    }
    if (found.empty() || (RecentlyDeleted(a.ns) && Phase(found) == "Active")) {
      api::Result<api::Object> live = co_await namespaces_.storage().Get("", a.ns, 0);
      if (!live.ok() && api::IsNotFound(live.status())) co_return live.status();
      if (!live.ok()) co_return api::InternalError(live.status().message);
      found = *live;
    }
    if (a.operation != Operation::kCreate || Phase(found) != "Terminating") co_return api::Status();
    co_return Terminating(a);
  }

  static std::string_view Phase(const api::Object& ns) {
    return ns.status().Get("phase").AsString();
  }

  api::Status AdmitDeletion(const Attributes& a) {
    for (const std::string_view immortal : kImmortal) {
      if (a.name == immortal) return AdmissionForbidden(a, "this namespace may not be deleted");
    }
    deleted_[a.name.str()] = context_.process.SteadyNow();
    return api::Status();
  }

  // True if this server has admitted its deletion within 30 s: the cache may be stale.
  bool RecentlyDeleted(std::string_view ns) {
    const auto it = deleted_.find(ns);
    if (it == deleted_.end()) return false;
    if (context_.process.SteadyNow() - it->second <= kForceLiveLookup) return true;
    deleted_.erase(it);
    return false;
  }

  static api::Status Terminating(const Attributes& a) {
    api::Status status = AdmissionForbidden(
        a,
        fmt::format("unable to create new content in namespace {} because it is being terminated",
                    a.ns));
    status.details->causes.emplace_back("NamespaceTerminating",
                                        fmt::format("namespace {} is being terminated", a.ns),
                                        "metadata.namespace");
    return status;
  }

  PluginContext context_;
  CacheDelegator& namespaces_;
  absl::btree_map<std::string, VirtualTime, std::less<>> deleted_;
};

}  // namespace

std::unique_ptr<Plugin> MakeNamespaceLifecycle(const PluginContext& context) {
  return std::make_unique<NamespaceLifecycle>(context);
}

}  // namespace ksim::apiserver
