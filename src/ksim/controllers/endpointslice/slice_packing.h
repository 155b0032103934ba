// How the endpoints of a Service with the same ports go into EndpointSlices: as few writes as
// possible, so that slices are filled up and never repacked.
//
// Sources: endpointslice reconciler.go reconcileByPortMapping; utils.go getSliceToFill,
// newEndpointSlice, setEndpointSliceLabels, ownedBy.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/controllers/endpointslice/slice_changes.h"
#include "ksim/controllers/endpointutil/endpoint_set.h"
#include "ksim/controllers/endpointutil/slice_draft.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

inline constexpr std::string_view kSliceController = "endpointslice-controller.k8s.io";
inline constexpr std::size_t kMaxEndpointsPerSlice = 100;

bool IsOwnedBy(const api::Object& slice, const api::Object& service);

// A slice without endpoints, with the labels of the Service.
SliceDraft NewSlice(const api::Object& service, std::string_view address_type,
                    const value::Value& ports);

// `existing` are the slices with these ports, in the order of their names.
SliceChanges PackSlices(const api::Object& service, const std::vector<SliceDraft>& existing,
                        EndpointSet desired, std::string_view address_type,
                        const value::Value& ports);

// The one slice without endpoints and ports that a Service without any pods has.
bool IsPlaceholder(const SliceDraft& slice, const SliceDraft& placeholder);

}  // namespace ksim::controllers
