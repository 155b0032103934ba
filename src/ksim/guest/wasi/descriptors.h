// Descriptors: what a program has open, by number as POSIX numbers it: the lowest that is free.
// Plain data, which a snapshot copies.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ksim/guest/wasi/file_system.h"

namespace ksim::guest {

enum class DescriptorKind : std::uint8_t {
  kStandard,   // 0, 1, 2
  kDirectory,  // 3 is the root
  kFile,
  kStream,    // a connection
  kListener,  // where connections come in
};

struct Descriptor {
  Descriptor() = default;
  explicit Descriptor(DescriptorKind k) : kind(k) {}
  DescriptorKind kind = DescriptorKind::kStandard;

  std::string path;             // of a file or directory, clean
  FileSystem::Content content;  // of a file
  std::uint64_t position = 0;
  bool writes = false;
  bool appends = false;

  std::string in;                     // what came and was not read
  std::size_t read = 0;               // how much of it was
  bool ended = false;                 // nothing more comes
  std::uint16_t error = 0;            // what reading says once `in` is empty; an errno of WASI
  std::int32_t port = 0;              // of a listener
  std::vector<std::int32_t> waiting;  // connections that wait to be accepted: stream descriptors
};

class Descriptors {
 public:
  Descriptors();
  std::int32_t Open(Descriptor descriptor);
  // Null if it is not open.
  Descriptor* Find(std::uint32_t number);
  bool Close(std::uint32_t number);
  const std::map<std::int32_t, Descriptor>& all() const { return open_; }

 private:
  std::map<std::int32_t, Descriptor> open_;
};

}  // namespace ksim::guest
