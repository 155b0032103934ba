// How the initial state of a scenario gets into the store, and pods onto the machines that ran
// them.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ksim/apiserver/server.h"
#include "ksim/kubelet/runtime/runtime.h"
#include "ksim/scenario/scenario.h"
#include "ksim/store/store.h"

namespace ksim::scenario {

// Before any API server starts: the store takes the objects one after the other, as ksim's own
// writes.
void PutInitialObjects(const std::vector<Manifest>& initial, apiserver::Shared& shared,
                       store::Store& store);

// The pods that the initial state says run, or have run, on one of the machines, by node.
void AdoptInitialPods(const std::vector<Manifest>& initial, const apiserver::Shared& shared,
                      const std::map<std::string, std::unique_ptr<kubelet::Runtime>>& machines);

// The Node of that name; null: there is none.
value::Value InitialNode(const std::vector<Manifest>& initial, const std::string& name);
// The certificate that the cluster's namespaces have; "": none has one.
std::string InitialRootCa(const std::vector<Manifest>& initial);

}  // namespace ksim::scenario
