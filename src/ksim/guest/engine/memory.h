// Memory: the linear memory of one program. All of its address space is reserved at once, so that
// it never moves, and an Image can be laid over its beginning: a page that the program does not
// write is then shared by all instances, and putting a memory back costs what was written.
//
// A page that was written is a copy of its own, and stays one: the next run most likely writes it
// again, and copying the image's page costs a fraction of a page fault. The pages that were written
// are told by /proc/self/pagemap; where that is not there, or with more of them than kMostKept, the
// copies are given back to the machine instead.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "absl/status/statusor.h"

namespace ksim::guest {

// The content of a memory at one moment. Immutable; memories that lie over it keep it.
class Image {
 public:
  // Copies `size` bytes from `base`. Internal: the machine gives no memory for it.
  static absl::StatusOr<std::shared_ptr<const Image>> Of(const std::uint8_t* base,
                                                         std::size_t size);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  std::size_t size() const { return size_; }
  std::size_t stored() const { return stored_; }  // bytes of pages that are not zero

 private:
  friend class Memory;
  Image(int file, std::size_t size) : file_(file), size_(size) {}
  int file_;
  std::size_t size_;
  const std::uint8_t* bytes_ = nullptr;  // the whole of it, to read
  std::size_t stored_ = 0;
};

class Memory {
 public:
  // 4 GiB, what a program can address, and the guard that compiled code relies on.
  static constexpr std::size_t kReserved = std::size_t{4} << 30;
  static constexpr std::size_t kGuard = std::size_t{2} << 30;
  static constexpr std::size_t kPage = std::size_t{64} << 10;  // WebAssembly's
  // Bytes that a run has written and that stay with the memory for the next one.
  static constexpr std::size_t kMostKept = std::size_t{64} << 20;

  // Null if the machine has no address space for it.
  static std::unique_ptr<Memory> Reserve(std::size_t size);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::uint8_t* base() { return base_; }
  std::size_t size() const { return size_; }
  // The program may grow it by so much in all from now on.
  void AllowGrowth(std::size_t bytes) {
    most_ = bytes < kReserved - size_ ? size_ + bytes : kReserved;
    refused_ = false;
  }
  // For the program. False beyond what it is allowed, or what is reserved.
  bool GrowTo(std::size_t size);
  // Whether the program wanted more than it is allowed.
  bool refused() const { return refused_; }
  // The content and the size become those of the image, which is no larger; what lies behind it is
  // zero. For the engine.
  absl::Status PutBack(const std::shared_ptr<const Image>& image);

  // Within bounds, or false and nothing is read or written.
  bool Holds(std::uint64_t at, std::uint64_t size) const {
    return size <= size_ && at <= size_ - size;
  }
  template <class T>
  bool Write(std::uint32_t at, T value) {
    if (!Holds(at, sizeof value)) return false;
    std::memcpy(base_ + at, &value, sizeof value);
    return true;
  }
  bool WriteText(std::uint32_t at, std::string_view text) {
    if (!Holds(at, text.size())) return false;
    if (!text.empty()) std::memcpy(base_ + at, text.data(), text.size());
    return true;
  }
  template <class T>
  bool Read(std::uint32_t at, T* value) const {
    if (!Holds(at, sizeof *value)) return false;
    std::memcpy(value, base_ + at, sizeof *value);
    return true;
  }
  // A view that is good until the program runs again.
  bool ReadText(std::uint32_t at, std::uint32_t size, std::string_view* text) const {
    if (!Holds(at, size)) return false;
    *text = std::string_view(reinterpret_cast<const char*>(base_ + at), size);
    return true;
  }

 private:
  Memory(std::uint8_t* base, std::size_t size) : base_(base), size_(size) {}
  bool MendWritten();
  std::uint8_t* base_;
  std::size_t size_;
  std::size_t most_ = kReserved;
  bool refused_ = false;
  std::shared_ptr<const Image> image_;  // that lies under it
};

}  // namespace ksim::guest
