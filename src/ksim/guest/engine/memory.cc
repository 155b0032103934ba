#include "ksim/guest/engine/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "absl/status/status.h"

namespace ksim::guest {
namespace {

constexpr std::size_t kSmallPage = 4096;

bool IsZero(const std::uint8_t* page) {
  return page[0] == 0 && std::memcmp(page, page + 1, kSmallPage - 1) == 0;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Image>> Image::Of(const std::uint8_t* base, std::size_t size) {
  const int file = memfd_create("ksim-guest", MFD_CLOEXEC);
  if (file < 0) return absl::InternalError("memfd_create failed");
  std::shared_ptr<Image> image(new Image(file, size));
  if (ftruncate(file, static_cast<off_t>(size)) != 0)
    return absl::InternalError("a memory's image could not be sized");
  // Pages of zeros stay holes. Runs of others are written at once.
  for (std::size_t at = 0; at < size;) {
    if (IsZero(base + at)) {
      at += kSmallPage;
      continue;
    }
    std::size_t end = at + kSmallPage;
    while (end < size && !IsZero(base + end)) end += kSmallPage;
    image->stored_ += end - at;
    while (at < end) {
      const ssize_t n = pwrite(file, base + at, end - at, static_cast<off_t>(at));
      if (n <= 0) return absl::InternalError("a memory's image could not be written");
      at += static_cast<std::size_t>(n);
    }
  }
  return std::shared_ptr<const Image>(std::move(image));
}

Image::~Image() { close(file_); }

std::unique_ptr<Memory> Memory::Reserve(std::size_t size) {
  void* base = mmap(nullptr, kReserved + kGuard, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  std::unique_ptr<Memory> memory(new Memory(static_cast<std::uint8_t*>(base), 0));
  if (!memory->GrowTo(size)) return nullptr;
  return memory;
}

Memory::~Memory() { munmap(base_, kReserved + kGuard); }

bool Memory::GrowTo(std::size_t size) {
  if (size > most_) {
    refused_ = true;
    return false;
  }
  if (size > size_ && mprotect(base_ + size_, size - size_, PROT_READ | PROT_WRITE) != 0)
    return false;
  size_ = std::max(size_, size);
  return true;
}

absl::Status Memory::PutBack(const std::shared_ptr<const Image>& image) {
  if (image->size() > size_) return absl::InternalError("an image is larger than its memory");
  if (image_ != image) {
    if (mmap(base_, image->size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, image->file_,
             0) == MAP_FAILED)
      return absl::InternalError("a memory's image could not be laid under it");
    image_ = image;
    if (size_ > image->size()) madvise(base_ + image->size(), size_ - image->size(), MADV_DONTNEED);
    return absl::OkStatus();
  }
  // Written pages are private copies: without them the image shows again, and zeros beyond it.
  madvise(base_, size_, MADV_DONTNEED);
  return absl::OkStatus();
}

}  // namespace ksim::guest
