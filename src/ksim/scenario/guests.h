// The guests of a cluster: programs in WebAssembly that a scenario names, each replica a process.
#pragma once
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ksim/guest/process/guest_process.h"
#include "ksim/scenario/mapping_reader.h"
#include "ksim/scenario/parse.h"
#include "ksim/scenario/scenario.h"

namespace ksim::scenario {

// spec.cluster.guests, and the guests that stand for kube-controller-manager and kube-scheduler.
void ParseGuests(ParseContext& context, MappingReader& cluster, ClusterSpec* spec);
// spec.cluster.controllers as a mapping: {guest: FILE, instead: ["*"], args: [...]}.
void ParseControllersGuest(ParseContext& context, const value::YamlNode& node, ClusterSpec* spec);
// spec.cluster.scheduler.guest.
void ParseSchedulerGuest(ParseContext& context, MappingReader& scheduler, ClusterSpec* spec);

// The name of a guest's file for a scenario that is written into `directory`.
std::string GuestFileFrom(const std::string& directory, const GuestSpec& guest);

value::Value GuestTree(const GuestSpec& guest);

// Loads the programs of all guests, which takes long for one that was never compiled. Says what is
// missing: Wasmtime, a file, a program that is no guest or another one than the scenario means.
absl::Status PrepareGuests(const ClusterSpec& cluster);

// The options of a guest's process. `replica` counts from 0.
guest::GuestOptions GuestOptionsOf(api::Compat compat, const GuestSpec& guest,
                                   std::int64_t replica);

}  // namespace ksim::scenario
