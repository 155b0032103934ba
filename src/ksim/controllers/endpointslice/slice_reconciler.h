// SliceReconciler: makes the EndpointSlices of a Service what its pods demand, and writes them.
//
// Source: endpointslice reconciler.go.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/base/time.h"
#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/endpointslice/slice_changes.h"
#include "ksim/controllers/endpointslice/topology_cache.h"
#include "ksim/controllers/endpointutil/slice_tracker.h"

namespace ksim::controllers {

class SliceReconciler {
 public:
  SliceReconciler(const Profile& profile, client::Client& client, client::EventRecorder& recorder,
                  const api::ResourceInfo* resource, const client::Lister& nodes)
      : profile_(profile),
        client_(client),
        recorder_(recorder),
        resource_(resource),
        nodes_(nodes) {}

  // `existing` are the slices of the Service in the cache. Returns what went wrong; "" = nothing.
  sim::Task<std::string> Reconcile(api::Object service, std::vector<api::Object> pods,
                                   std::vector<api::Object> existing,
                                   std::optional<VirtualTime> trigger);

  SliceTracker& tracker() { return tracker_; }
  TopologyCache& topology() { return topology_; }

 private:
  // The changes of the slices of one type of address, and the events and errors of that.
  struct Plan {
    Plan() = default;
    SliceChanges changes;
    std::vector<TopologyEvent> events;
    std::vector<std::string> errors;
  };
  Plan PlanChanges(const api::Object& service, const std::vector<api::Object>& pods,
                   const std::vector<SliceDraft>& existing, std::string_view address_type) const;
  // The hints of the slices, by the annotation or the field of the Service.
  void GiveHints(const api::Object& service, const std::vector<SliceDraft>& existing,
                 std::string_view address_type, Plan* plan);
  // The endpoint that a pod is; null if it has no address of the type.
  value::Value EndpointOf(const api::Object& pod, const api::Object& node,
                          const api::Object& service, std::string_view address_type) const;
  value::Value PortsOf(const api::Object& pod, const api::Object& service) const;
  bool HintsEnabled(const api::Object& service) const;

  // finalize.
  sim::Task<std::string> Write(api::Object service, SliceChanges changes,
                               std::optional<VirtualTime> trigger);

  const Profile& profile_;
  client::Client& client_;
  client::EventRecorder& recorder_;
  const api::ResourceInfo* resource_;
  const client::Lister& nodes_;
  SliceTracker tracker_;
  TopologyCache topology_;
};

}  // namespace ksim::controllers
