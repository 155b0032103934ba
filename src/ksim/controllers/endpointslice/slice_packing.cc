#include "ksim/controllers/endpointslice/slice_packing.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "ksim/controllers/endpointutil/service_pods.h"

namespace ksim::controllers {

using value::Value;

namespace {

bool IsReservedLabel(std::string_view name) {
  return name == kServiceNameLabel || name == kSliceManagedByLabel || name == kHeadlessLabel;
}

Value WithoutReservedLabels(const Value& labels) {
  value::ObjectBuilder rest;
  for (const Value::Member& label : labels.members())
    if (!IsReservedLabel(label.name.text())) rest.Add(label.name, label.value);
  return rest.Build();
}

// Those of the Service, and the three of the controller.
Value SliceLabels(const api::Object& service) {
  Value labels = WithoutReservedLabels(service.labels());
  if (!HasClusterIp(service)) labels = labels.Set(kHeadlessLabel, Value::Of(""));
  return labels.Set(kServiceNameLabel, Value::Of(service.name()))
      .Set(kSliceManagedByLabel, Value::Of(kSliceController));
}

// How a slice stands after the first look at it.
enum class Fate : std::uint8_t { kUnchanged, kUpdate, kErase };

struct Sorted {
  explicit Sorted(SliceDraft s) : slice(std::move(s)) {}
  SliceDraft slice;
  Fate fate = Fate::kUnchanged;
};

// Keeps the endpoints that are still desired, as they are now, and takes them from `desired`.
Sorted KeepDesired(SliceDraft existing, const Value& labels, EndpointSet* desired) {
  std::vector<Value> kept;
  bool updated = false;
  for (const Value& endpoint : existing.endpoints) {
    const Value* wanted = desired->Find(endpoint);
    if (wanted == nullptr) continue;
    kept.push_back(*wanted);
    updated = updated || !EqualBeyondIdentity(*wanted, endpoint);
    desired->Delete(endpoint);
  }
  const bool relabeled = WithoutReservedLabels(existing.tree.Get("metadata").Get("labels")) !=
                         WithoutReservedLabels(labels);
  Sorted sorted(std::move(existing));
  if (updated || kept.size() != sorted.slice.endpoints.size()) {
    sorted.fate = kept.empty() ? Fate::kErase : Fate::kUpdate;
    if (!kept.empty()) sorted.slice.endpoints = std::move(kept);
  } else if (relabeled) {
    sorted.fate = Fate::kUpdate;
  }
  if (sorted.fate == Fate::kUpdate) sorted.slice.set_labels(labels);
  return sorted;
}

void Fill(SliceDraft* slice, EndpointSet* desired) {
  while (!desired->empty() && slice->endpoints.size() < kMaxEndpointsPerSlice)
    slice->endpoints.push_back(desired->PopFirst());
}

// getSliceToFill: the unchanged slice that all of them fit into and that they leave the least room
// in.
Sorted* FindSliceToFill(std::vector<Sorted>* slices, std::size_t endpoints) {
  Sorted* best = nullptr;
  std::size_t best_room = kMaxEndpointsPerSlice;
  for (Sorted& sorted : *slices) {
    const std::size_t filled = sorted.slice.endpoints.size() + endpoints;
    if (sorted.fate != Fate::kUnchanged || filled > kMaxEndpointsPerSlice) continue;
    const std::size_t room = kMaxEndpointsPerSlice - filled;
    if (room >= best_room) continue;
    best_room = room;
    best = &sorted;
  }
  return best;
}

}  // namespace

bool IsOwnedBy(const api::Object& slice, const api::Object& service) {
  const std::vector<api::OwnerReference> owners = slice.owners();
  return std::any_of(owners.begin(), owners.end(), [&service](const api::OwnerReference& owner) {
    return owner.uid == service.uid() && owner.kind == "Service" && owner.api_version == "v1";
  });
}

SliceDraft NewSlice(const api::Object& service, std::string_view address_type, const Value& ports) {
  SliceDraft slice(service, address_type, ports);
  slice.set_labels(SliceLabels(service));
  return slice;
}

SliceChanges PackSlices(const api::Object& service, const std::vector<SliceDraft>& existing,
                        EndpointSet desired, std::string_view address_type, const Value& ports) {
  // 1. What is there loses the endpoints that are no longer desired, and gets their changes.
  const Value labels = SliceLabels(service);
  std::vector<Sorted> slices;
  for (const SliceDraft& slice : existing) slices.push_back(KeepDesired(slice, labels, &desired));

  // 2. Slices that are written anyhow are filled up, the fullest first.
  std::vector<Sorted*> fullest;
  for (Sorted& sorted : slices)
    if (sorted.fate == Fate::kUpdate) fullest.push_back(&sorted);
  std::stable_sort(fullest.begin(), fullest.end(), [](const Sorted* a, const Sorted* b) {
    return a->slice.endpoints.size() > b->slice.endpoints.size();
  });
  for (Sorted* sorted : fullest) Fill(&sorted->slice, &desired);

  // 3. The rest goes into one slice that has room for all of it, or into new ones.
  SliceChanges changes;
  while (!desired.empty()) {
    Sorted* to_fill =
        desired.size() < kMaxEndpointsPerSlice ? FindSliceToFill(&slices, desired.size()) : nullptr;
    if (to_fill != nullptr) {
      Fill(&to_fill->slice, &desired);
      to_fill->fate = Fate::kUpdate;
    } else {
      changes.create.push_back(NewSlice(service, address_type, ports));
      Fill(&changes.create.back(), &desired);
    }
  }
  for (Sorted& sorted : slices) {
    if (sorted.fate == Fate::kUpdate) changes.update.push_back(std::move(sorted.slice));
    if (sorted.fate == Fate::kErase) changes.erase.push_back(std::move(sorted.slice));
  }
  return changes;
}

// placeholderSliceCompare: names, annotations and the like do not count.
bool IsPlaceholder(const SliceDraft& slice, const SliceDraft& placeholder) {
  const auto labels = [](const SliceDraft& s) { return s.tree.Get("metadata").Get("labels"); };
  return labels(slice) == labels(placeholder) && slice.endpoints.empty() &&
         slice.tree.Get("ports").empty() && slice.address_type() == placeholder.address_type();
}

}  // namespace ksim::controllers
