// Engine: runs programs in WebAssembly. A Program is compiled code; an Instance is one program with
// a memory of its own, which runs until its `_start` returns. Everything that the program asks for
// goes through a Host. Which engine does it is the affair of the files that implement this.
//
// A run is a function of the program, of the memory that it begins with and of the Host's
// answers: NaNs are canonical, the stack has a fixed size, there are no threads, and instructions
// are counted, not timed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ksim/guest/engine/memory.h"

namespace ksim::guest {

// A function that a program takes from its host.
struct Import {
  Import() = default;
  std::string module, name;  // wasi_snapshot_preview1, poll_oneoff
};

class Host {
 public:
  virtual ~Host() = default;
  // The program calls import `index`. `words` are its arguments, an i32 in the low half of its
  // word; the result goes into the first. False ends the run there.
  virtual bool Call(std::size_t index, std::uint64_t* words) = 0;
};

enum class RunEnd : std::uint8_t {
  kReturned,      // `_start` returned
  kStopped,       // the host ended it
  kTrapped,       // unreachable, out of bounds, stack overflow, ...; Instance::trap says it
  kTooManySteps,  // the bound of instructions
};

class Instance {
 public:
  virtual ~Instance() = default;
  virtual Memory& memory() = 0;
  // Memory::PutBack, for a memory of any size. A program that asks for its size gets the largest
  // that it had, until it grows again. ResourceExhausted beyond the program's or the engine's
  // bound.
  virtual absl::Status PutBack(const std::shared_ptr<const Image>& image) = 0;
  // Calls `_start`; at most `steps` instructions. Not from within a Host::Call.
  virtual RunEnd Run(Host& host, std::uint64_t steps) = 0;
  // The text of the last trap, in the engine's words, on one line.
  virtual const std::string& trap() const = 0;
};

class Program {
 public:
  virtual ~Program() = default;
  virtual const std::vector<Import>& imports() const = 0;
  virtual absl::StatusOr<std::unique_ptr<Instance>> Instantiate() = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  // Compiles, or takes from the cache what was compiled before. `progress` is told in a line what
  // takes long. InvalidArgument: no module that this engine can run, or one whose memory or
  // `_start` is missing.
  virtual absl::StatusOr<std::unique_ptr<Program>> Load(
      std::string_view wasm, const std::function<void(const std::string&)>& progress) = 0;
};

}  // namespace ksim::guest
