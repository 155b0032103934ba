// ProgramLibrary: the guest programs of this process: loaded once, started once, and then put back
// to where they first idled. A program's start is a function of the program and of its Launch, for
// it has met nobody yet and its random numbers are those of every start; so the run that begins
// from a copy is the run that would have begun from nothing.
//
// A process that comes back in the middle of a run comes at a time that no other run has: it begins
// from nothing, and no copy is kept.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ksim/guest/engine/engine.h"
#include "ksim/guest/wasi/wasi.h"

namespace ksim::guest {

// The bounds of one guest.
struct GuestLimits {
  GuestLimits() = default;
  // Instructions without idling: some five seconds of one core.
  std::uint64_t steps = 20'000'000'000;
  // Bytes that it may have, whatever an instance has had before: beyond, WebAssembly's memory.grow
  // fails, and Go ends the program.
  std::size_t memory = std::size_t{1} << 30;
};

// How a program's start went, and where it stood when it first idled, or ended.
struct Started {
  Started() = default;
  std::shared_ptr<const Image> image;  // null: no copy was kept
  WasiState state;
  std::vector<Effect> effects;
  RunEnd end = RunEnd::kReturned;
  std::string trap;
  bool outgrew = false;  // it wanted more memory than it may have
};

class ProgramLibrary {
 public:
  // `engine` outlives the library.
  explicit ProgramLibrary(Engine& engine);
  ~ProgramLibrary();
  ProgramLibrary(const ProgramLibrary&) = delete;
  ProgramLibrary& operator=(const ProgramLibrary&) = delete;

  class Entry;  // one program
  // The program of this content, whose hash is given; the same one as long as the library is there.
  // InvalidArgument: no guest.
  absl::StatusOr<Entry*> Load(std::string_view wasm, const std::string& hash,
                              const std::function<void(const std::string&)>& progress);

  // A start, and an instance that stands behind it.
  struct Begun {
    Begun() = default;
    std::shared_ptr<const Started> start;
    std::unique_ptr<Instance> instance;
  };
  using Log = std::function<void(const HostCall&)>;
  // The start that `launch` makes; run now, or before. `again`: other runs make the same, so that a
  // copy is worth it.
  absl::StatusOr<Begun> Begin(Entry& program, const Launch& launch, const GuestLimits& limits,
                              bool again);
  // The same, run now, with each host call logged.
  absl::StatusOr<Begun> Start(Entry& program, const Launch& launch, const GuestLimits& limits,
                              const Log& log);
  // Only one that began from a copy, and that did not trap: a program that begins from nothing
  // looks how large its memory is, and the engine does not hear that it was made smaller.
  void Return(Entry& program, std::unique_ptr<Instance> instance);
  static const std::vector<Import>& ImportsOf(const Entry& program);

 private:
  // An instance with the content of the image.
  absl::StatusOr<std::unique_ptr<Instance>> Take(Entry& program,
                                                 const std::shared_ptr<const Image>& image,
                                                 const GuestLimits& limits);

  Engine& engine_;
  std::map<std::string, std::unique_ptr<Entry>> programs_;  // by the hash of their content
};

}  // namespace ksim::guest
