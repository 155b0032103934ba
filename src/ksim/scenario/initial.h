// The initial state of a scenario: objects as a real cluster had them, which are in the store
// before anything starts, as they stand: with status, uids, owners and managers, in the order of
// their resource versions. Their times are shifted so that the newest is the start of the run. Each
// Node among them gets a kubelet, which finds its pods running (initial/initial_store.h).
//
// Reading such objects twice gives the same: what a trace's header holds needs no more work.
#pragma once
#include <string>
#include <vector>

#include "ksim/scenario/parse.h"
#include "ksim/scenario/scenario.h"

namespace ksim::scenario {

// spec.initial, if it is there.
void ReadInitialField(ParseContext& context, MappingReader& spec, Scenario* scenario);

// A file of `--from`: what `kubectl get -A -o yaml` printed, or kwokctl's snapshot.
void ReadInitialFile(const std::shared_ptr<const value::YamlFile>& file, api::Kinds& kinds,
                     Scenario* scenario, std::vector<Diagnostic>* errors,
                     std::vector<Diagnostic>* warnings);

// The nodes of the initial state join the cluster. They take the place of the default ones unless
// the scenario says which nodes it wants.
void AddInitialNodes(bool nodes_given, Scenario* scenario);

// Namespaces that the objects of the steps are in, and that nobody makes: `--create-namespaces`.
std::vector<Manifest> MissingNamespaces(const Scenario& scenario, const api::Kinds& kinds);

}  // namespace ksim::scenario
