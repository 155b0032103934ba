#include "ksim/guest/process/shared_library.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "ksim/base/hash.h"
#include "ksim/base/os.h"
#include "ksim/base/status.h"

namespace ksim::guest {
namespace {

struct Shared {
  Tier tier = Tier::kBaseline;
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  std::map<std::string, std::shared_ptr<const ProgramFile>> files;  // by path
  std::map<std::string, ProgramLibrary::Entry*> programs;           // the same
  std::optional<absl::StatusOr<std::unique_ptr<Engine>>> engine;
  std::unique_ptr<ProgramLibrary> library;
};

Shared& TheShared() {
  // NOLINT(ksim-static): programs do not change, and what is kept of them enters no run
  static Shared& shared = *new Shared();
  return shared;
}

std::string CacheFolder() {
  const std::optional<std::string> cache = os::Environment("XDG_CACHE_HOME");
  if (cache && !cache->empty()) return *cache + "/ksim/guest";
  const std::optional<std::string> home = os::Environment("HOME");
  return home && !home->empty() ? *home + "/.cache/ksim/guest" : "";
}

}  // namespace

absl::StatusOr<std::shared_ptr<const ProgramFile>> ReadProgram(const std::string& path) {
  std::shared_ptr<const ProgramFile>& file = TheShared().files[path];
  if (file != nullptr) return file;
  absl::StatusOr<std::string> wasm = os::ReadFile(path);
  if (!wasm.ok()) return wasm.status();
  auto read = std::make_shared<ProgramFile>();
  read->path = path;
  read->wasm = *std::move(wasm);
  read->hash = Hex(Hash128(read->wasm));
  file = std::move(read);
  return file;
}

void ConfigureGuests(Tier tier, std::function<void(const std::string&)> progress) {
  TheShared().tier = tier;
  TheShared().progress = std::move(progress);
}

absl::StatusOr<ProgramLibrary*> SharedLibrary() {
  Shared& shared = TheShared();
  if (!shared.engine) shared.engine = MakeWasmtimeEngine(shared.tier, CacheFolder());
  if (!shared.engine->ok()) return shared.engine->status();
  if (shared.library == nullptr)
    shared.library = std::make_unique<ProgramLibrary>(***shared.engine);
  return shared.library.get();
}

absl::StatusOr<ProgramLibrary::Entry*> LoadProgram(const std::string& path) {
  const auto loaded = TheShared().programs.find(path);
  if (loaded != TheShared().programs.end()) return loaded->second;
  absl::StatusOr<std::shared_ptr<const ProgramFile>> file = ReadProgram(path);
  if (!file.ok()) return file.status();
  absl::StatusOr<ProgramLibrary*> library = SharedLibrary();
  if (!library.ok()) return library.status();
  absl::StatusOr<ProgramLibrary::Entry*> program =
      (*library)->Load((*file)->wasm, TheShared().progress);
  if (!program.ok()) return Annotate(program.status(), fmt::format("{} is no guest", path));
  TheShared().programs[path] = *program;
  return program;
}

}  // namespace ksim::guest
