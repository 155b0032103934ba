// The part of world.h that puts the initial state of a scenario into the store, and pods onto the
// machines that ran them.
#include <algorithm>

#include "ksim/api/pod.h"
#include "ksim/api/strategy/defaulting.h"
#include "ksim/api/views/volumes.h"
#include "ksim/apiserver/core/event_conversion.h"
#include "ksim/base/check.h"
#include "ksim/scenario/world.h"

namespace ksim::scenario {

using value::Value;

// Before anything starts: the store takes the objects one after the other, as ksim's own writes.
void World::PutInitialObjects() {
  for (const Manifest& m : initial_) {
    const api::ResourceInfo* kind = kinds_.ByKind(m.ApiVersion(), m.Kind());
    KSIM_CHECK(kind != nullptr) << "no kind " << m.Kind();  // reading the scenario has seen to it
    const api::Object object =
        api::Object::FromTree(api::ApplyDefaults(*kind, m.tree, env_.compat));
    store::PutRequest put(api::StorageKey(*kind, object.ns(), object.name()),
                          apiserver::ToStored(*kind, object.tree()));
    put.origin = store::WriteOrigin(sim::ActorId::Of("ksim"), 0);
    const auto done = etcd_.store().Put(put);
    KSIM_CHECK(done.ok()) << "the store refuses " << m.Kind() << "/" << m.Name();
    kinds_.NoteObject(*kind);
    if (kind->kind == "Pod" && api::HasEphemeralVolume(object.tree()))
      kinds_.NoteObject(api::EphemeralVolumeUse());
    apiserver::NoteStored(shared_, *kind);
    if (kind->kind != "Namespace") continue;
    for (const Value::Member& label : object.labels().members())
      if (label.name.text().starts_with("pod-security.kubernetes.io/"))
        shared_.pod_security_stored = true;
  }
}

// The pods that the initial state says run, or have run, on a node that is there.
void World::AdoptInitialPods() {
  for (const Manifest& m : initial_) {
    if (m.Kind() != "Pod" || m.ApiVersion() != "v1") continue;
    const auto machine = machines_.find(std::string(m.tree.Get("spec").Get("nodeName").AsString()));
    if (machine == machines_.end()) continue;
    const api::ResourceInfo& pods = *kinds_.ByKind("v1", "Pod");
    machine->second->Adopt(api::Object::FromTree(api::ApplyDefaults(pods, m.tree, env_.compat)));
  }
}

// The certificate that the cluster's namespaces have.
std::string World::InitialRootCa() const {
  for (const Manifest& m : initial_)
    if (m.Kind() == "ConfigMap" && m.Name() == "kube-root-ca.crt")
      return std::string(m.tree.Get("data").Get("ca.crt").AsString());
  return "";
}

Value World::InitialNode(const std::string& name) const {
  for (const Manifest& m : initial_)
    if (m.Kind() == "Node" && m.ApiVersion() == "v1" && m.Name() == name) return m.tree;
  return Value();
}

}  // namespace ksim::scenario
