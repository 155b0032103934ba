#include "ksim/guest/wasi/wasi.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "ksim/base/hash.h"
#include "ksim/guest/wasi/errno.h"

namespace ksim::guest {
namespace {

// Random numbers before the first reseeding are the same in all runs, so that a program's start
// need be run once only.
constexpr std::uint64_t kStartSeed = 0x6b73696d;

constexpr std::string_view kPreview1 = "wasi_snapshot_preview1";

std::uint64_t Mixed(std::uint64_t digest, std::uint64_t word) {
  digest = (digest ^ word) * 0x9e3779b97f4a7c15u;
  return digest ^ (digest >> 29);
}

}  // namespace

struct Wasi::Known {
  std::string_view name;
  std::uint8_t parameters;
  Function function;
};

const Wasi::Known* Wasi::Find(std::string_view module, std::string_view name) {
  static constexpr Known kOwn[] = {{"idle", 1, &Wasi::Idle},
                                   {"reseed", 1, &Wasi::ReseedAsked},
                                   {"signal", 0, &Wasi::SignalAsked}};
  static constexpr Known kWasi[] = {
      {"args_get", 2, &Wasi::ArgsGet},
      {"args_sizes_get", 2, &Wasi::ArgsSizesGet},
      {"clock_res_get", 2, &Wasi::ClockResGet},
      {"clock_time_get", 3, &Wasi::ClockTimeGet},
      {"environ_get", 2, &Wasi::EnvironGet},
      {"environ_sizes_get", 2, &Wasi::EnvironSizesGet},
      {"fd_advise", 4, &Wasi::FdSync},
      {"fd_allocate", 3, &Wasi::NotThere},
      {"fd_close", 1, &Wasi::FdClose},
      {"fd_datasync", 1, &Wasi::FdSync},
      {"fd_fdstat_get", 2, &Wasi::FdFdstatGet},
      {"fd_fdstat_set_flags", 2, &Wasi::FdFdstatSetFlags},
      {"fd_fdstat_set_rights", 3, &Wasi::FdSync},
      {"fd_filestat_get", 2, &Wasi::FdFilestatGet},
      {"fd_filestat_set_size", 2, &Wasi::FdFilestatSetSize},
      {"fd_filestat_set_times", 4, &Wasi::FdSync},
      {"fd_pread", 5, &Wasi::FdPread},
      {"fd_prestat_dir_name", 3, &Wasi::FdPrestatDirName},
      {"fd_prestat_get", 2, &Wasi::FdPrestatGet},
      {"fd_pwrite", 5, &Wasi::FdPwrite},
      {"fd_read", 4, &Wasi::FdRead},
      {"fd_readdir", 5, &Wasi::FdReaddir},
      {"fd_renumber", 2, &Wasi::NotThere},
      {"fd_seek", 4, &Wasi::FdSeek},
      {"fd_sync", 1, &Wasi::FdSync},
      {"fd_tell", 2, &Wasi::FdTell},
      {"fd_write", 4, &Wasi::FdWrite},
      {"path_create_directory", 3, &Wasi::PathCreateDirectory},
      {"path_filestat_get", 5, &Wasi::PathFilestatGet},
      {"path_filestat_set_times", 7, &Wasi::NotThere},
      {"path_link", 7, &Wasi::NotThere},
      {"path_open", 9, &Wasi::PathOpen},
      {"path_readlink", 6, &Wasi::NotThere},
      {"path_remove_directory", 3, &Wasi::PathRemoveDirectory},
      {"path_rename", 6, &Wasi::PathRename},
      {"path_symlink", 5, &Wasi::NotThere},
      {"path_unlink_file", 3, &Wasi::PathUnlinkFile},
      {"poll_oneoff", 4, &Wasi::PollOneoff},
      {"proc_exit", 1, &Wasi::ProcExit},
      {"proc_raise", 1, &Wasi::NotThere},
      {"random_get", 2, &Wasi::RandomGet},
      {"sched_yield", 0, &Wasi::SchedYield},
      {"sock_accept", 3, &Wasi::NotThere},
      {"sock_recv", 6, &Wasi::NotThere},
      {"sock_send", 5, &Wasi::NotThere},
      {"sock_shutdown", 2, &Wasi::SockShutdown},
  };
  const auto in = [&](const auto& table) -> const Known* {
    const auto found = std::find_if(std::begin(table), std::end(table),
                                    [&](const Known& k) { return k.name == name; });
    return found == std::end(table) ? nullptr : &*found;
  };
  if (module == kPreview1) return in(kWasi);
  if (module == "ksim") return in(kOwn);
  return nullptr;
}

absl::Status Wasi::Check(const std::vector<Import>& imports) {
  bool wasi = false;
  bool idles = false;
  for (const Import& import : imports) {
    if (Find(import.module, import.name) == nullptr)
      return absl::InvalidArgumentError(
          fmt::format("it imports {}.{}, which is neither WASI preview 1 (GOOS=wasip1) nor ksim's",
                      import.module, import.name));
    wasi = wasi || import.module == kPreview1;
    idles = idles || import.name == "idle";
  }
  if (!wasi) return absl::InvalidArgumentError("it is no program for WASI preview 1 (GOOS=wasip1)");
  if (!idles)
    return absl::InvalidArgumentError(
        "it was not built by `ksim guest build`: it would not give the time back when it idles");
  return absl::OkStatus();
}

Wasi::Wasi(const std::vector<Import>& imports, const Launch& launch) {
  for (const Import& import : imports) {
    functions_.push_back(Find(import.module, import.name)->function);
    names_.push_back(import.name);
  }
  state_.args = launch.args;
  state_.env = launch.env;
  state_.files = launch.files;
  state_.wall_ns = launch.wall_ns;
  state_.steady_ns = kSteadyStart;
  state_.random = kStartSeed;
}

void Wasi::SetTime(std::int64_t wall_ns, std::int64_t steady_ns) {
  if (wall_ns < state_.wall_ns) state_.wall_read_ns = 0;  // a clock that is turned may go back
  state_.wall_ns = wall_ns;
  state_.steady_ns = std::max(state_.steady_ns, steady_ns);
}

void Wasi::Reseed(std::uint64_t seed, bool mixes) {
  state_.random = seed;
  state_.reseed = true;
  state_.mixes = mixes;
}

void Wasi::Receive(std::int32_t descriptor, std::string_view bytes) {
  Descriptor* open = state_.descriptors.Find(static_cast<std::uint32_t>(descriptor));
  if (open != nullptr) open->in.append(bytes);
}

void Wasi::EndOfStream(std::int32_t descriptor, std::uint16_t error) {
  Descriptor* open = state_.descriptors.Find(static_cast<std::uint32_t>(descriptor));
  if (open == nullptr) return;
  open->ended = true;
  open->error = error;
}

std::optional<std::int32_t> Wasi::Accept(std::int32_t port) {
  for (const auto& [number, open] : state_.descriptors.all()) {
    if (open.kind != DescriptorKind::kListener || open.port != port) continue;
    const std::int32_t stream = state_.descriptors.Open(Descriptor(DescriptorKind::kStream));
    state_.descriptors.Find(static_cast<std::uint32_t>(number))->waiting.push_back(stream);
    return stream;
  }
  return std::nullopt;
}

RunEnd Wasi::Run(Instance& instance, std::uint64_t steps) {
  memory_ = &instance.memory();
  state_.clock_reads = 0;
  const RunEnd end = instance.Run(*this, steps);
  memory_ = nullptr;
  return end;
}

std::vector<Effect> Wasi::TakeEffects() { return std::exchange(effects_, {}); }

bool Wasi::Call(std::size_t index, std::uint64_t* words) {
  ++state_.calls;
  calling_ = index;
  HostCall call;
  if (log_) {
    call.import = index;
    std::copy(words, words + 9, call.words);
    logged_ = &call;
  }
  std::uint64_t digest = Mixed(state_.digest, index + 1);
  for (std::size_t i = 0; i < 9; ++i) digest = Mixed(digest, words[i]);
  state_.digest = digest;
  const std::uint32_t result = (this->*functions_[index])(words);
  state_.digest = Mixed(state_.digest, result);
  const bool ended = state_.exit_code.has_value();
  if (log_) {
    call.result = result;
    call.ended = ended;
    logged_ = nullptr;
    log_(call);
  }
  words[0] = result;
  return !ended;
}

bool Wasi::PutText(std::uint64_t at, std::string_view text) {
  if (!memory_->WriteText(static_cast<std::uint32_t>(at), text)) return false;
  state_.digest = Mixed(state_.digest, Hash64(text));
  if (logged_ != nullptr)
    logged_->written.emplace_back(static_cast<std::uint32_t>(at), std::string(text));
  return true;
}

std::uint64_t Wasi::NextRandom() {
  state_.random += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state_.random;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::uint32_t Wasi::NotThere(const std::uint64_t*) {
  effects_.emplace_back(Effect::Kind::kUnknown, 0, names_[calling_]);
  return kEnosys;
}

}  // namespace ksim::guest
