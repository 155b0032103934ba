#include "ksim/kubelet/runtime/image.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>

#include "ksim/sim/decisions.h"

namespace ksim::kubelet {

namespace {

// "docker.io/library/nginx" of "nginx:1.25".
std::string RepositoryOf(std::string_view image) {
  const std::string whole = FullImageName(image);
  return whole.substr(0, whole.find_first_of(":@", whole.rfind('/')));
}

}  // namespace

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
  std::string id = RepositoryOf(image);
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

const ImageSpec* ImageCatalog::Find(std::string_view image) const {
  if (images_.empty()) return nullptr;
  const std::string whole = FullImageName(image);
  const ImageSpec* of_repository = nullptr;
  for (const ImageSpec& spec : images_) {
    if (FullImageName(spec.name) == whole) return &spec;
    const bool open = spec.name.find_first_of(":@", spec.name.rfind('/') + 1) == std::string::npos;
    if (open && RepositoryOf(spec.name) == RepositoryOf(image)) of_repository = &spec;
  }
  return of_repository;
}

std::string ImageCatalog::UserOf(std::string_view image) const {
  if (const ImageSpec* spec = Find(image)) return spec->user;
  const bool told = image.find("nonroot") != std::string_view::npos ||
                    image.find("unprivileged") != std::string_view::npos;
  return told ? "65532" : "";
}

std::string ImageCatalog::IdOf(std::string_view image) const {
  const ImageSpec* spec = Find(image);
  const bool own = spec != nullptr && !spec->digest.empty();
  if (!own || image.find('@') != std::string_view::npos) return ImageId(image);
  return RepositoryOf(image) + "@" + spec->digest;
}

std::int64_t ImageCatalog::BytesOf(std::string_view image) const {
  const ImageSpec* spec = Find(image);
  return spec != nullptr && spec->bytes ? *spec->bytes : ImageBytes(image);
}

}  // namespace ksim::kubelet
