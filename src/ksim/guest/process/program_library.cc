#include "ksim/guest/process/program_library.h"

#include <algorithm>
#include <utility>

#include "ksim/base/hash.h"

namespace ksim::guest {
namespace {

// Instances that wait for their next run, a program: as many as one run uses at a time.
constexpr std::size_t kMostIdle = 8;
// Starts that are kept, a program: of replicas, and of restarts at other times.
constexpr std::size_t kMostStarts = 16;
// The memory that an instance had at its start cannot be given back to WebAssembly, and Go asks for
// more after each reset: beyond this an instance is made anew.
constexpr std::size_t kMostGrowth = std::size_t{512} << 20;

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
    const std::string& wasm, const std::function<void(const std::string&)>& progress) {
  std::unique_ptr<Entry>& entry = programs_[Hex(Hash128(wasm))];
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

absl::StatusOr<std::shared_ptr<const Started>> ProgramLibrary::Start(Entry& program,
                                                                     const Launch& launch,
                                                                     const GuestLimits& limits) {
  const std::string key = KeyOf(launch, limits);
  const auto found = program.starts.find(key);
  if (found != program.starts.end()) return found->second;
  absl::StatusOr<std::unique_ptr<Instance>> instance = program.program->Instantiate();
  if (!instance.ok()) return instance.status();
  Memory& memory = (*instance)->memory();
  memory.AllowGrowth(limits.memory - std::min(limits.memory, memory.size()));
  Wasi wasi(program.program->imports(), launch);
  auto started = std::make_shared<Started>();
  started->end = wasi.Run(**instance, limits.steps);
  started->trap = (*instance)->trap();
  started->outgrew = memory.refused();
  started->state = wasi.state();
  started->effects = wasi.TakeEffects();
  absl::StatusOr<std::shared_ptr<const Image>> image = Image::Of(memory.base(), memory.size());
  if (!image.ok()) return image.status();
  started->image = *std::move(image);
  Return(program, *std::move(instance));
  // Restarts at ever other times would fill the memory.
  if (program.starts.size() >= kMostStarts) program.starts.erase(program.starts.begin());
  return program.starts.emplace(key, std::move(started)).first->second;
}

absl::StatusOr<std::unique_ptr<Instance>> ProgramLibrary::Take(Entry& program, const Started& start,
                                                               const GuestLimits& limits) {
  const std::size_t growth = limits.memory - std::min(limits.memory, start.image->size());
  std::unique_ptr<Instance> instance;
  if (!program.idle.empty()) {
    instance = std::move(program.idle.back());
    program.idle.pop_back();
    const std::size_t size = instance->memory().size();
    if (size > start.image->size() + kMostGrowth || size > Memory::kReserved - growth)
      instance = nullptr;
  }
  if (instance == nullptr) {
    absl::StatusOr<std::unique_ptr<Instance>> made = program.program->Instantiate();
    if (!made.ok()) return made.status();
    instance = *std::move(made);
  }
  instance->memory().AllowGrowth(Memory::kReserved);
  if (const absl::Status grown = instance->Grow(start.image->size()); !grown.ok()) return grown;
  if (const absl::Status put = instance->memory().PutBack(start.image); !put.ok()) return put;
  instance->memory().AllowGrowth(growth);
  return instance;
}

void ProgramLibrary::Return(Entry& program, std::unique_ptr<Instance> instance) {
  if (program.idle.size() < kMostIdle) program.idle.push_back(std::move(instance));
}

}  // namespace ksim::guest
