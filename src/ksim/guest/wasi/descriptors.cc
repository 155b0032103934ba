#include "ksim/guest/wasi/descriptors.h"

#include <utility>

namespace ksim::guest {

Descriptors::Descriptors() {
  for (std::int32_t i = 0; i < 3; ++i) open_.emplace(i, Descriptor(DescriptorKind::kStandard));
  open_.emplace(3, Descriptor(DescriptorKind::kDirectory));
}

std::int32_t Descriptors::Open(Descriptor descriptor) {
  std::int32_t number = 0;
  for (const auto& [taken, open] : open_) {
    if (taken != number) break;
    ++number;
  }
  open_.emplace(number, std::move(descriptor));
  return number;
}

Descriptor* Descriptors::Find(std::uint32_t number) {
  const auto found = open_.find(static_cast<std::int32_t>(number));
  return found == open_.end() ? nullptr : &found->second;
}

bool Descriptors::Close(std::uint32_t number) {
  return open_.erase(static_cast<std::int32_t>(number)) > 0;
}

}  // namespace ksim::guest
