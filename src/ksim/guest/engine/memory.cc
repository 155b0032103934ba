#include "ksim/guest/engine/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "absl/status/status.h"

namespace ksim::guest {
namespace {

constexpr std::size_t kSmallPage = 4096;

bool IsZero(const std::uint8_t* page) {
  return page[0] == 0 && std::memcmp(page, page + 1, kSmallPage - 1) == 0;
}

// An entry of /proc/self/pagemap (the kernel's admin-guide/mm/pagemap.rst): whether the page is
// there and is not one of a file, thus a copy that a write has made.
bool IsOwnCopy(std::uint64_t entry) {
  constexpr std::uint64_t kPresent = std::uint64_t{1} << 63, kSwapped = std::uint64_t{1} << 62,
                          kOfFile = std::uint64_t{1} << 61;
  return (entry & (kPresent | kSwapped)) != 0 && (entry & kOfFile) == 0;
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
  void* bytes = mmap(nullptr, std::max(size, kSmallPage), PROT_READ, MAP_SHARED, file, 0);
  if (bytes == MAP_FAILED) return absl::InternalError("a memory's image could not be read");
  image->bytes_ = static_cast<const std::uint8_t*>(bytes);
  return std::shared_ptr<const Image>(std::move(image));
}

Image::~Image() {
  if (bytes_ != nullptr) munmap(const_cast<std::uint8_t*>(bytes_), std::max(size_, kSmallPage));
  close(file_);
}

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
  } else if (!MendWritten()) {
    // Written pages are private copies: without them the image shows again, and zeros beyond it.
    madvise(base_, size_, MADV_DONTNEED);
  }
  size_ = image->size();
  return absl::OkStatus();
}

// Makes each page that was written what it is in the image, or zero beyond it. False: it is not
// known which were, or not all of them.
bool Memory::MendWritten() {
  const int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (map < 0) return false;
  std::array<std::uint64_t, 2048> entries;
  const std::size_t pages = size_ / kSmallPage;
  const std::size_t first = reinterpret_cast<std::uintptr_t>(base_) / kSmallPage;
  std::size_t kept = 0;
  bool whole = true;
  for (std::size_t at = 0; at < pages && whole; at += entries.size()) {
    const std::size_t n = std::min(entries.size(), pages - at);
    const std::size_t bytes = n * sizeof entries[0];
    whole =
        pread(map, entries.data(), bytes, static_cast<off_t>((first + at) * sizeof entries[0])) ==
        static_cast<ssize_t>(bytes);
    for (std::size_t i = 0; i < n && whole; ++i) {
      if (!IsOwnCopy(entries[i])) continue;
      const std::size_t offset = (at + i) * kSmallPage;
      if (offset < image_->size()) {
        std::memcpy(base_ + offset, image_->bytes_ + offset, kSmallPage);
      } else if (!IsZero(base_ + offset)) {
        std::memset(base_ + offset, 0, kSmallPage);
      }
      kept += kSmallPage;
      whole = kept <= kMostKept;
    }
  }
  close(map);
  return whole;
}

}  // namespace ksim::guest
