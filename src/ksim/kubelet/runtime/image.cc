#include "ksim/kubelet/runtime/image.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>

#include "ksim/sim/decisions.h"

namespace ksim::kubelet {

std::string FullImageName(std::string_view image) {
  const std::size_t slash = image.find('/');
  const std::string_view host = image.substr(0, slash);
  const bool named = slash != std::string_view::npos &&
                     (host.find_first_of(".:") != std::string_view::npos || host == "localhost");
  std::string whole(named                             ? ""
                    : slash == std::string_view::npos ? "docker.io/library/"
                                                      : "docker.io/");
  whole += image;
  if (whole.find_first_of(":@", whole.rfind('/')) == std::string::npos) whole += ":latest";
  return whole;
}

std::string ImageId(std::string_view image) {
  const std::string whole = FullImageName(image);
  const std::size_t end = whole.find_first_of(":@", whole.rfind('/'));
  std::string id = whole.substr(0, end);
  if (const std::size_t digest = whole.find('@'); digest != std::string::npos)
    return id += std::string_view(whole).substr(digest);
  id += "@sha256:";
  for (std::uint64_t i = 0; i < 4; ++i)
    fmt::format_to(std::back_inserter(id), FMT_COMPILE("{:016x}"), sim::KeyOf(whole, i));
  return id;
}

std::int64_t ImageBytes(std::string_view image) {
  constexpr std::uint64_t kSpread = 180'000'000;
  return 20'000'000 + static_cast<std::int64_t>(sim::KeyOf(FullImageName(image), 4) % kSpread);
}

}  // namespace ksim::kubelet
