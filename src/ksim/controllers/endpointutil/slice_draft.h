// SliceDraft: an EndpointSlice while a controller changes it, before it is written.
//
// Sources: k8s.io/api discovery/v1/well_known_labels.go; endpointslice utils.go.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

inline constexpr std::string_view kServiceNameLabel = "kubernetes.io/service-name";
inline constexpr std::string_view kSliceManagedByLabel = "endpointslice.kubernetes.io/managed-by";
inline constexpr std::string_view kHeadlessLabel = "service.kubernetes.io/headless";
inline constexpr std::string_view kTriggerTimeAnnotation =
    "endpoints.kubernetes.io/last-change-trigger-time";

struct SliceDraft {
  SliceDraft() = default;
  explicit SliceDraft(const api::Object& cached);
  // A new slice; the API server names it after `owner`, which becomes its controller.
  SliceDraft(const api::Object& owner, std::string_view address_type, value::Value ports);

  api::Object ToObject() const;
  std::string name() const;  // "": it is to be created
  std::string_view address_type() const;
  void set_name(const std::string& name);
  void set_labels(value::Value labels);
  // A null `value` takes the annotation away.
  void Annotate(std::string_view name, const value::Value& value);

  value::Value tree;                    // without the endpoints
  std::vector<value::Value> endpoints;  // in their order
  std::int64_t resource_version = 0;    // of the cached object; 0 = none
  api::Object cached;                   // the slice as the cache has it; empty: it is new
};

// The slices of a Service that `manager` keeps, by their labels; AddLabelIndex makes it quick.
std::vector<api::Object> SlicesOf(const client::Lister& slices, const client::ObjectKey& service,
                                  std::string_view manager);

}  // namespace ksim::controllers
