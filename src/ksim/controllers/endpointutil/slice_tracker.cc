#include "ksim/controllers/endpointutil/slice_tracker.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/controllers/endpointutil/slice_draft.h"

namespace ksim::controllers {

const std::int64_t* SliceTracker::Find(const api::Object& slice) const {
  const auto service = services_.find(ServiceKeyOf(slice));
  if (service == services_.end()) return nullptr;
  const auto generation = service->second.find(std::string(slice.uid()));
  return generation == service->second.end() ? nullptr : &generation->second;
}

bool SliceTracker::Has(const api::Object& slice) const { return Find(slice) != nullptr; }

bool SliceTracker::ShouldSync(const api::Object& slice) const {
  const std::int64_t* written = Find(slice);
  return written == nullptr || slice.generation() > *written;
}

bool SliceTracker::AreStale(const std::string& service,
                            const std::vector<api::Object>& slices) const {
  const auto known = services_.find(service);
  if (known == services_.end()) return false;
  const Generations& generations = known->second;
  for (const api::Object& slice : slices) {
    const auto written = generations.find(std::string(slice.uid()));
    if (written == generations.end()) continue;
    if (written->second == kDeletionExpected || written->second > slice.generation()) return true;
  }
  return std::any_of(generations.begin(), generations.end(), [&slices](const auto& written) {
    if (written.second == kDeletionExpected) return false;
    return std::none_of(slices.begin(), slices.end(), [&written](const api::Object& slice) {
      return slice.uid() == written.first;
    });
  });
}

void SliceTracker::Update(const api::Object& slice) {
  services_[ServiceKeyOf(slice)][std::string(slice.uid())] = slice.generation();
}

void SliceTracker::ExpectDeletion(const api::Object& slice) {
  services_[ServiceKeyOf(slice)][std::string(slice.uid())] = kDeletionExpected;
}

bool SliceTracker::HandleDeletion(const api::Object& slice) {
  const std::int64_t* written = Find(slice);
  if (written == nullptr) return true;
  const bool expected = *written == kDeletionExpected;
  services_[ServiceKeyOf(slice)].erase(std::string(slice.uid()));
  return expected;
}

std::string ServiceKeyOf(const api::Object& slice) {
  return fmt::format("{}/{}", slice.ns(), slice.Label(kServiceNameLabel));
}

}  // namespace ksim::controllers
