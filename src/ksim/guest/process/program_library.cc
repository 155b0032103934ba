#include "ksim/guest/process/program_library.h"

#include <algorithm>
#include <utility>

#include "ksim/base/hash.h"

namespace ksim::guest {
namespace {

// Instances that wait for their next run, a program: as many as one run uses at a time.
constexpr std::size_t kMostIdle = 8;
// Starts that are kept, a program: of replicas, and of scenarios that differ in what they give it.
constexpr std::size_t kMostStarts = 16;

std::string KeyOf(const Launch& launch, const GuestLimits& limits) {
  Hasher hasher;
  for (const std::string& arg : launch.args) hasher.Add(std::string_view(arg));
  hasher.Add(std::string_view("env"));
  for (const std::string& one : launch.env) hasher.Add(std::string_view(one));
  hasher.Add(std::uint64_t{launch.files.Digest()});
  hasher.Add(launch.wall_ns).Add(limits.steps).Add(std::uint64_t{limits.memory});
  return std::to_string(hasher.Digest());
}

}  // namespace

class ProgramLibrary::Entry {
 public:
  explicit Entry(std::unique_ptr<Program> p) : program(std::move(p)) {}
  std::unique_ptr<Program> program;
  std::map<std::string, std::shared_ptr<const Started>> starts;
  std::vector<std::unique_ptr<Instance>> idle;
};

ProgramLibrary::ProgramLibrary(Engine& engine) : engine_(engine) {}

ProgramLibrary::~ProgramLibrary() = default;

absl::StatusOr<ProgramLibrary::Entry*> ProgramLibrary::Load(
    std::string_view wasm, const std::string& hash,
    const std::function<void(const std::string&)>& progress) {
  std::unique_ptr<Entry>& entry = programs_[hash];
  if (entry != nullptr) return entry.get();
  absl::StatusOr<std::unique_ptr<Program>> program = engine_.Load(wasm, progress);
  if (!program.ok()) return program.status();
  if (const absl::Status fits = Wasi::Check((*program)->imports()); !fits.ok()) return fits;
  entry = std::make_unique<Entry>(*std::move(program));
  return entry.get();
}

const std::vector<Import>& ProgramLibrary::ImportsOf(const Entry& program) {
  return program.program->imports();
}

absl::StatusOr<ProgramLibrary::Begun> ProgramLibrary::Begin(Entry& program, const Launch& launch,
                                                            const GuestLimits& limits, bool again) {
  if (!again) return Start(program, launch, limits, nullptr);
  const std::string key = KeyOf(launch, limits);
  if (const auto found = program.starts.find(key); found != program.starts.end()) {
    Begun begun;
    begun.start = found->second;
    absl::StatusOr<std::unique_ptr<Instance>> instance = Take(program, begun.start->image, limits);
    if (!instance.ok()) return instance.status();
    begun.instance = *std::move(instance);
    return begun;
  }
  absl::StatusOr<Begun> begun = Start(program, launch, limits, nullptr);
  if (!begun.ok()) return begun;
  Memory& memory = begun->instance->memory();
  absl::StatusOr<std::shared_ptr<const Image>> image = Image::Of(memory.base(), memory.size());
  if (!image.ok()) return image.status();
  if (const absl::Status put = begun->instance->PutBack(*image); !put.ok()) return put;
  auto started = std::make_shared<Started>(*begun->start);
  started->image = *std::move(image);
  if (program.starts.size() >= kMostStarts) program.starts.erase(program.starts.begin());
  begun->start = program.starts.emplace(key, std::move(started)).first->second;
  return begun;
}

absl::StatusOr<ProgramLibrary::Begun> ProgramLibrary::Start(Entry& program, const Launch& launch,
                                                            const GuestLimits& limits,
                                                            const Log& log) {
  absl::StatusOr<std::unique_ptr<Instance>> instance = program.program->Instantiate();
  if (!instance.ok()) return instance.status();
  Memory& memory = (*instance)->memory();
  memory.AllowGrowth(limits.memory - std::min(limits.memory, memory.size()));
  Wasi wasi(program.program->imports(), launch);
  wasi.LogTo(log);
  auto started = std::make_shared<Started>();
  started->end = wasi.Run(**instance, limits.steps);
  started->trap = (*instance)->trap();
  started->outgrew = memory.refused();
  started->state = wasi.state();
  started->effects = wasi.TakeEffects();
  Begun begun;
  begun.start = std::move(started);
  begun.instance = *std::move(instance);
  return begun;
}

absl::StatusOr<std::unique_ptr<Instance>> ProgramLibrary::Take(
    Entry& program, const std::shared_ptr<const Image>& image, const GuestLimits& limits) {
  std::unique_ptr<Instance> instance;
  if (!program.idle.empty()) {
    instance = std::move(program.idle.back());
    program.idle.pop_back();
  }
  if (instance == nullptr) {
    absl::StatusOr<std::unique_ptr<Instance>> made = program.program->Instantiate();
    if (!made.ok()) return made.status();
    instance = *std::move(made);
  }
  instance->memory().AllowGrowth(Memory::kReserved);
  if (const absl::Status put = instance->PutBack(image); !put.ok()) return put;
  instance->memory().AllowGrowth(limits.memory - std::min(limits.memory, image->size()));
  return instance;
}

void ProgramLibrary::Return(Entry& program, std::unique_ptr<Instance> instance) {
  if (program.idle.size() < kMostIdle) program.idle.push_back(std::move(instance));
}

}  // namespace ksim::guest
