#include "ksim/scenario/initial/initial_store.h"

#include <fmt/format.h>

#include <optional>

#include "ksim/api/kinds.h"
#include "ksim/api/strategy/defaulting.h"
#include "ksim/api/views/volumes.h"
#include "ksim/apiserver/core/definition_listener.h"
#include "ksim/apiserver/core/event_conversion.h"
#include "ksim/apiserver/core/object_converter.h"
#include "ksim/base/check.h"
#include "ksim/sim/decisions.h"

namespace ksim::scenario {

using value::Value;

namespace {

bool IsA(const Manifest& m, const char* kind) { return m.Kind() == kind && m.ApiVersion() == "v1"; }

// Names that are generated from now on follow those that are there, as if they had been made here.
void RecordIdentity(apiserver::Shared& shared, const api::ResourceInfo& r, const api::Object& o) {
  if (o.generate_name().empty()) return;
  const std::optional<api::OwnerReference> owner = o.controller();
  const api::ResourceInfo* kind =
      owner ? shared.kinds.ByKind(owner->api_version, owner->kind) : nullptr;
  const std::uint64_t family =
      kind != nullptr
          ? shared.identities.Of(kind->known_as(), kind->namespaced ? o.ns() : "", owner->name)
          : sim::KeyOf(fmt::format("{}/{}/{}", r.known_as(), o.ns(), o.generate_name()));
  shared.identities.Record(r.known_as(), o.ns(), o.name(),
                           shared.identities.NextGenerated(family, r.known_as()));
}

}  // namespace

void PutInitialObjects(const std::vector<Manifest>& initial, apiserver::Shared& shared,
                       store::Store& store) {
  for (const Manifest& m : initial) {
    const api::ResourceInfo* kind = shared.kinds.ByKind(m.ApiVersion(), m.Kind());
    KSIM_CHECK(kind != nullptr) << "no kind " << m.Kind();  // reading the scenario has seen to it
    const api::Object object =
        api::Object::FromTree(api::ApplyDefaults(*kind, m.tree, shared.compat));
    // An object that a webhook converts is stored as given, as if at an earlier storage version.
    const bool as_is = apiserver::IsConvertedByWebhook(*kind);
    store::PutRequest put(api::StorageKey(*kind, object.ns(), object.name()),
                          as_is ? object.tree() : apiserver::ToStored(*kind, object.tree()));
    put.origin = store::WriteOrigin(sim::ActorId::Of("ksim"), 0);
    const auto done = store.Put(put);
    KSIM_CHECK(done.ok()) << "the store refuses " << m.Kind() << "/" << m.Name();
    RecordIdentity(shared, *kind, object);
    shared.kinds.NoteObject(*kind);
    if (kind->kind == "Pod" && api::HasEphemeralVolume(object.tree()))
      shared.kinds.NoteObject(api::EphemeralVolumeUse());
    apiserver::NoteStored(shared, *kind);
    // The servers serve its kind once they have started, as they do after a crash.
    if (kind->kind == "CustomResourceDefinition" && shared.definitions != nullptr)
      shared.definitions->served.try_emplace(std::string(object.name()), 0);
    if (kind->kind != "Namespace") continue;
    for (const Value::Member& label : object.labels().members())
      if (label.name.text().starts_with("pod-security.kubernetes.io/"))
        shared.pod_security_stored = true;
  }
}

void AdoptInitialPods(const std::vector<Manifest>& initial, const apiserver::Shared& shared,
                      const std::map<std::string, std::unique_ptr<kubelet::Runtime>>& machines) {
  for (const Manifest& m : initial) {
    if (!IsA(m, "Pod")) continue;
    const auto machine = machines.find(std::string(m.tree.Get("spec").Get("nodeName").AsString()));
    if (machine == machines.end()) continue;
    const api::ResourceInfo& pods = *shared.kinds.ByKind("v1", "Pod");
    machine->second->Adopt(api::Object::FromTree(api::ApplyDefaults(pods, m.tree, shared.compat)));
  }
}

Value InitialNode(const std::vector<Manifest>& initial, const std::string& name) {
  for (const Manifest& m : initial)
    if (IsA(m, "Node") && m.Name() == name) return m.tree;
  return Value();
}

std::string InitialRootCa(const std::vector<Manifest>& initial) {
  for (const Manifest& m : initial)
    if (IsA(m, "ConfigMap") && m.Name() == "kube-root-ca.crt")
      return std::string(m.tree.Get("data").Get("ca.crt").AsString());
  return "";
}

}  // namespace ksim::scenario
