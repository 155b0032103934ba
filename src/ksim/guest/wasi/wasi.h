// Wasi: the host of one program, which gives it all that it can learn of the world: WASI preview 1
// as Go uses it, and `ksim`'s own calls. A program runs until it idles; then it returns, and its
// host says when it runs again, with which time and with what has come.
//
// Its effects on the world do not come at once: effects are kept in order until the
// run is over. No virtual time passes in a run, so nobody can tell the difference, and a program
// may be run before the cluster is there in which it runs.
//
// Source: WASI preview 1 (witx/wasi_snapshot_preview1.witx); Go runtime/os_wasip1.go,
// syscall/fs_wasip1.go, runtime/netpoll_wasip1.go.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "ksim/guest/engine/engine.h"
#include "ksim/guest/wasi/descriptors.h"
#include "ksim/guest/wasi/file_system.h"

namespace ksim::guest {

// A program's arguments, environment, files and clock when it starts.
struct Launch {
  Launch() = default;
  std::vector<std::string> args;  // the program's name first
  std::vector<std::string> env;   // NAME=VALUE
  FileSystem files;
  std::int64_t wall_ns = 0;  // the process' clock, nanoseconds since 1970
};

struct Effect {
  enum class Kind : std::uint8_t {
    kOutput,   // `text` to standard output (descriptor 1) or standard error (2)
    kConnect,  // `text` is HOST:PORT
    kSend,     // `text` on a connection
    kClose,    // a connection or a listener
    kListen,   // at `port`
    kUnknown,  // the program asked for what the host does not have: `text`
  };
  Effect() = default;
  Effect(Kind k, std::int32_t d, std::string t = {}) : kind(k), descriptor(d), text(std::move(t)) {}
  Kind kind = Kind::kOutput;
  std::int32_t descriptor = 0;
  std::string text;
  std::int32_t port = 0;
};

// One call as a log has it: to compare two engines by, or to serve a program without a host.
struct HostCall {
  HostCall() = default;
  std::size_t import = 0;
  std::uint64_t words[9] = {};
  std::uint64_t result = 0;
  bool ended = false;
  std::vector<std::pair<std::uint32_t, std::string>> written;  // what it wrote, and where
  std::vector<std::pair<std::uint32_t, std::string>> read;     // what the program handed over
};

// All that is besides the program's memory: a copy of both is a copy of the process.
struct WasiState {
  WasiState() = default;
  Descriptors descriptors;
  FileSystem files;
  std::vector<std::string> args, env;
  std::int64_t wall_ns = 0;  // what its clocks show now
  std::int64_t steady_ns = 0;
  std::int64_t wall_read_ns = 0;  // the last that it was told of the wall clock: no time twice
  std::int64_t steady_read_ns = 0;
  std::int64_t wake_ns =
      0;  // when it wants to run again, by the steady clock; 0: when something comes
  std::uint64_t random = 0;
  bool reseed = false;  // it is to take new random numbers when it runs next
  bool mixes = false;   // and to run its goroutines in an order that they draw
  std::vector<std::int32_t> signals;
  std::uint64_t calls = 0;
  std::uint64_t clock_reads = 0;  // since it idled
  std::uint64_t digest = 0;       // over all calls, their arguments and answers
  std::optional<std::uint32_t> exit_code;
};

class Wasi final : public Host {
 public:
  // The steady clock begins at a second, as Go takes 0 for no time.
  static constexpr std::int64_t kSteadyStart = 1'000'000'000;

  // InvalidArgument names what the program imports and no host of ours has; or, for one that
  // ksim did not build, what to do.
  static absl::Status Check(const std::vector<Import>& imports);

  // `imports` of a program that Check takes.
  Wasi(const std::vector<Import>& imports, const Launch& launch);

  WasiState& state() { return state_; }
  void Restore(const WasiState& state) { state_ = state; }

  // Before each run: what the clocks show. They do not go back.
  void SetTime(std::int64_t wall_ns, std::int64_t steady_ns);
  // From the next run on the program draws other random numbers; if it `mixes`, these also choose
  // which of the goroutines that can run goes first, until it is reseeded again.
  void Reseed(std::uint64_t seed, bool mixes);
  void Signal(std::int32_t number) { state_.signals.push_back(number); }

  // Bytes and the end that come in on a connection; what is not open is ignored.
  void Receive(std::int32_t descriptor, std::string_view bytes);
  void EndOfStream(std::int32_t descriptor, std::uint16_t error);
  // A connection that comes in at a port where the program listens: its descriptor.
  std::optional<std::int32_t> Accept(std::int32_t port);

  // Runs the instance until it idles or ends.
  RunEnd Run(Instance& instance, std::uint64_t steps);
  std::vector<Effect> TakeEffects();

  // Every call from now on; null: none.
  void LogTo(std::function<void(const HostCall&)> log) { log_ = std::move(log); }

  bool Call(std::size_t index, std::uint64_t* words) override;

 private:
  using Function = std::uint32_t (Wasi::*)(const std::uint64_t* words);

  // --- memory ---
  template <class T>
  bool Put(std::uint64_t at, T value) {
    return PutText(at, std::string_view(reinterpret_cast<const char*>(&value), sizeof value));
  }
  bool PutText(std::uint64_t at, std::string_view text);
  bool ReadText(std::uint64_t at, std::uint64_t size, std::string_view* text) const {
    const auto from = static_cast<std::uint32_t>(at);
    if (!memory_->ReadText(from, static_cast<std::uint32_t>(size), text)) return false;
    if (logged_ != nullptr) logged_->read.emplace_back(from, std::string(*text));
    return true;
  }
  template <class T>
  T Get(std::uint64_t at) const {
    T value{};
    memory_->Read(static_cast<std::uint32_t>(at), &value);
    return value;
  }
  std::uint64_t NextRandom();
  std::uint32_t PutStrings(const std::vector<std::string>& all, std::uint64_t list,
                           std::uint64_t text);
  std::uint32_t PutSizes(const std::vector<std::string>& all, std::uint64_t count,
                         std::uint64_t size);
  std::string PathAt(std::uint64_t directory, std::uint64_t at, std::uint64_t size);
  std::uint32_t PutFileStat(std::uint64_t at, const std::string& path);
  std::uint32_t OpenDevice(const std::string& path, std::uint64_t result);
  std::uint32_t OpenFile(const std::string& path, std::uint64_t flags, std::uint64_t rights,
                         std::uint64_t descriptor_flags, std::uint64_t result);
  bool IsReady(std::uint8_t type, std::uint32_t descriptor, std::uint16_t* error,
               std::uint64_t* bytes);

  // --- the calls, in files by subject; each returns its errno ---
  std::uint32_t ArgsGet(const std::uint64_t* w);
  std::uint32_t ArgsSizesGet(const std::uint64_t* w);
  std::uint32_t EnvironGet(const std::uint64_t* w);
  std::uint32_t EnvironSizesGet(const std::uint64_t* w);
  std::uint32_t ClockTimeGet(const std::uint64_t* w);
  std::uint32_t ClockResGet(const std::uint64_t* w);
  std::uint32_t RandomGet(const std::uint64_t* w);
  std::uint32_t SchedYield(const std::uint64_t* w);
  std::uint32_t ProcExit(const std::uint64_t* w);
  std::uint32_t PollOneoff(const std::uint64_t* w);
  std::uint32_t Idle(const std::uint64_t* w);
  std::uint32_t ReseedAsked(const std::uint64_t* w);
  std::uint32_t SignalAsked(const std::uint64_t* w);
  std::uint32_t FdWrite(const std::uint64_t* w);
  std::uint32_t FdRead(const std::uint64_t* w);
  std::uint32_t FdPread(const std::uint64_t* w);
  std::uint32_t FdPwrite(const std::uint64_t* w);
  std::uint32_t FdSeek(const std::uint64_t* w);
  std::uint32_t FdTell(const std::uint64_t* w);
  std::uint32_t FdClose(const std::uint64_t* w);
  std::uint32_t FdSync(const std::uint64_t* w);
  std::uint32_t FdFdstatGet(const std::uint64_t* w);
  std::uint32_t FdFdstatSetFlags(const std::uint64_t* w);
  std::uint32_t FdFilestatGet(const std::uint64_t* w);
  std::uint32_t FdFilestatSetSize(const std::uint64_t* w);
  std::uint32_t FdPrestatGet(const std::uint64_t* w);
  std::uint32_t FdPrestatDirName(const std::uint64_t* w);
  std::uint32_t FdReaddir(const std::uint64_t* w);
  std::uint32_t PathOpen(const std::uint64_t* w);
  std::uint32_t PathFilestatGet(const std::uint64_t* w);
  std::uint32_t PathCreateDirectory(const std::uint64_t* w);
  std::uint32_t PathUnlinkFile(const std::uint64_t* w);
  std::uint32_t PathRemoveDirectory(const std::uint64_t* w);
  std::uint32_t PathRename(const std::uint64_t* w);
  std::uint32_t SockShutdown(const std::uint64_t* w);
  std::uint32_t NotThere(const std::uint64_t* w);

  struct Known;
  static const Known* Find(std::string_view module, std::string_view name);

  WasiState state_;
  std::vector<Function> functions_;  // by import
  std::vector<std::string> names_;   // the same
  std::vector<Effect> effects_;
  Memory* memory_ = nullptr;  // of the running instance
  std::size_t calling_ = 0;   // the import that runs
  std::function<void(const HostCall&)> log_;
  HostCall* logged_ = nullptr;  // the call that runs, while somebody logs
};

}  // namespace ksim::guest
