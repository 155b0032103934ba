// ProgramLibrary: the guest programs of this process: loaded once, started once, and then put back
// to where they first idled. A program's start is a function of the program and of its Launch, for
// it has met nobody yet and its random numbers are those of every start; so the run that begins
// from a copy is the run that would have begun from nothing.
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
  std::shared_ptr<const Image> image;
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
  // The program of this content; the same one as long as the library is there. InvalidArgument: no
  // guest.
  absl::StatusOr<Entry*> Load(const std::string& wasm,
                              const std::function<void(const std::string&)>& progress);

  // The start that `launch` makes; run now, or before.
  absl::StatusOr<std::shared_ptr<const Started>> Start(Entry& program, const Launch& launch,
                                                       const GuestLimits& limits);
  // An instance with the memory of that start; it goes back by Return.
  absl::StatusOr<std::unique_ptr<Instance>> Take(Entry& program, const Started& start,
                                                 const GuestLimits& limits);
  void Return(Entry& program, std::unique_ptr<Instance> instance);
  static const std::vector<Import>& ImportsOf(const Entry& program);

 private:
  Engine& engine_;
  std::map<std::string, std::unique_ptr<Entry>> programs_;  // by content
};

}  // namespace ksim::guest
