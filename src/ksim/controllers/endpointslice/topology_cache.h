// TopologyCache: how the CPUs of the nodes spread over zones, and the hints that say from which
// zone an endpoint is to be asked, in proportion to them (the annotation topology-mode: Auto).
//
// Upstream counts in floating point; here ratios are exact, so that an allocation may differ by one
// where upstream's product misses a whole number.
//
// Sources: endpointslice topologycache/{topologycache,utils,sliceinfo,event}.go.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "ksim/api/object.h"
#include "ksim/controllers/endpointslice/slice_changes.h"

namespace ksim::controllers {

// An Event about the Service.
struct TopologyEvent {
  TopologyEvent() = default;
  TopologyEvent(std::string_view t, std::string_view r, std::string m)
      : type(t), reason(r), message(std::move(m)) {}
  std::string type, reason, message;
};

// The slices of a Service at one type of address, while hints are given.
struct HintedSlices {
  HintedSlices() = default;
  std::string service;  // its key
  std::string address_type;
  std::vector<SliceDraft>*create = nullptr, *update = nullptr;
  std::vector<SliceDraft> unchanged;
};

// Takes all hints away; unchanged slices that had some become updates.
void RemoveHintsFromSlices(HintedSlices* slices);

class TopologyCache {
 public:
  TopologyCache() = default;
  void SetNodes(const std::vector<api::Object>& nodes);
  // Adds hints, or takes them away where they cannot be given.
  std::vector<TopologyEvent> AddHints(HintedSlices* slices);
  void RemoveHints(const std::string& service, const std::string& address_type);
  bool HasPopulatedHints(const std::string& service) const { return populated_.contains(service); }
  // Services of which some zone has too few endpoints.
  std::vector<std::string> OverloadedServices() const;

 private:
  // How many endpoints a zone should have. `desired` is in parts of total_cpu_.
  struct Allocation {
    Allocation() = default;
    std::int64_t minimum = 0, maximum = 0, desired = 0;
  };
  using Allocations = absl::btree_map<std::string, Allocation>;  // by zone
  using Counts = absl::btree_map<std::string, std::int64_t>;     // by zone

  std::int64_t MinimumOf(std::int64_t cpu, std::int64_t endpoints) const;
  // Nothing if they cannot be given; `why` says so.
  std::optional<Allocations> Allocate(std::int64_t endpoints, std::string* why) const;
  std::vector<TopologyEvent> Disable(std::string_view why, HintedSlices* slices);
  static std::optional<Counts> HintsOf(const SliceDraft& slice, const Counts& allocated,
                                       const Allocations& allocations);
  void FindTransfers(const Allocations& allocations, const Counts& allocated, Counts* giving,
                     Counts* receiving) const;
  static void Redistribute(HintedSlices* slices, Counts giving, Counts receiving,
                           Counts* allocated);
  bool IsOverloaded(const Counts& endpoints) const;

  absl::btree_map<std::string, std::int64_t>
      cpu_by_zone_;  // in thousandths; empty: not enough known
  std::int64_t total_cpu_ = 0;
  absl::btree_map<std::string, absl::btree_map<std::string, Counts>> endpoints_;  // by address type
  absl::btree_set<std::string> populated_;
};

}  // namespace ksim::controllers
