// A guest's start from compiled code, and its reset to where it first idled. $KSIM_GUEST is the
// file of one that `ksim guest build` made; its code is compiled and kept first, where that was not
// done.
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "ksim/base/hash.h"
#include "ksim/base/mapped_file.h"
#include "ksim/base/os.h"
#include "ksim/guest/engine/wasmtime_engine.h"
#include "ksim/guest/process/guest_files.h"
#include "ksim/guest/process/program_library.h"
#include "ksim/guest/process/shared_library.h"

namespace ksim::guest {
namespace {

constexpr double kMiB = 1 << 20;

void Told(const std::string& what) { fmt::print(stderr, "guest: {}\n", what); }

std::string File() {
  const char* file = std::getenv("KSIM_GUEST");
  if (file == nullptr) {
    fmt::print(stderr, "KSIM_GUEST=FILE.wasm names the guest\n");
    std::exit(2);
  }
  return file;
}

template <class T>
T OrExit(absl::StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  fmt::print(stderr, "{}\n", std::string(value.status().message()));
  std::exit(2);
}

// An engine and a library with the program.
struct Loaded {
  Loaded()
      : engine(OrExit(MakeWasmtimeEngine(Tier::kBaseline, CodeFolder()))),
        library(std::make_unique<ProgramLibrary>(*engine)) {
    const std::unique_ptr<os::MappedFile> file = OrExit(os::MappedFile::Open(File()));
    const std::string_view wasm = file->content();
    program = OrExit(library->Load(wasm, Hex(Hash128(wasm)), Told));
  }
  std::unique_ptr<Engine> engine;
  std::unique_ptr<ProgramLibrary> library;
  ProgramLibrary::Entry* program = nullptr;
};

Launch ALaunch() {
  Launch launch;
  launch.args = {"/guest"};
  launch.env = {"HOME=/root",
                "HOSTNAME=guest",
                "KUBECONFIG=/etc/kubernetes/kubeconfig",
                "KUBERNETES_SERVICE_HOST=10.96.0.1",
                "KUBERNETES_SERVICE_PORT=8080",
                "POD_NAME=guest",
                "POD_NAMESPACE=default"};
  launch.files = CommonFiles("guest", "default", "system:serviceaccount:default:guest");
  launch.wall_ns = 1'700'000'000'000'000'000;
  return launch;
}

// Looking at the file, hashing it, mapping its code.
void guest_load(benchmark::State& state) {
  Loaded();
  for (auto _ : state) benchmark::DoNotOptimize(Loaded());
}
BENCHMARK(guest_load)->Unit(benchmark::kMillisecond)->MinTime(1);

// The same, and until it first idles; the copy of its memory is taken, too.
void guest_load_and_start(benchmark::State& state) {
  double image = 0;
  for (auto _ : state) {
    Loaded loaded;
    const ProgramLibrary::Begun begun =
        OrExit(loaded.library->Begin(*loaded.program, ALaunch(), GuestLimits(), true));
    image = static_cast<double>(begun.start->image->stored());
  }
  state.counters["imageMiB"] = image / kMiB;
}
BENCHMARK(guest_load_and_start)->Unit(benchmark::kMillisecond)->MinTime(2);

// From the end of one run, which read what a server answers to nothing, to the begin of the next.
void guest_reset(benchmark::State& state) {
  Loaded loaded;
  const auto begin = [&] {
    return OrExit(loaded.library->Begin(*loaded.program, ALaunch(), GuestLimits(), true));
  };
  ProgramLibrary::Begun begun = begin();
  for (auto _ : state) {
    state.PauseTiming();
    Wasi wasi(ProgramLibrary::ImportsOf(*loaded.program), Launch());
    wasi.Restore(begun.start->state);
    wasi.SetTime(ALaunch().wall_ns + 1'000'000'000, Wasi::kSteadyStart + 1'000'000'000);
    wasi.Run(*begun.instance, GuestLimits().steps);
    loaded.library->Return(*loaded.program, std::move(begun.instance));
    state.ResumeTiming();
    begun = begin();
  }
  state.counters["residentMiB"] = static_cast<double>(os::ResidentBytes()) / kMiB;
}
BENCHMARK(guest_reset)->Unit(benchmark::kMicrosecond)->MinTime(1);

}  // namespace
}  // namespace ksim::guest
