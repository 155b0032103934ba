#include "ksim/guest/process/shared_library.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "ksim/base/hash.h"
#include "ksim/base/mapped_file.h"
#include "ksim/base/os.h"
#include "ksim/base/status.h"

namespace ksim::guest {
namespace {

// A file that was read. Its content is kept until it is compiled.
struct Read {
  std::shared_ptr<const ProgramFile> file;
  std::unique_ptr<os::MappedFile> wasm;
};

struct Shared {
  Tier tier = Tier::kBaseline;
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  std::map<std::string, Read> files;                       // by path
  std::map<std::string, ProgramLibrary::Entry*> programs;  // the same
  std::optional<absl::StatusOr<std::unique_ptr<Engine>>> engine;
  std::unique_ptr<ProgramLibrary> library;
};

Shared& TheShared() {
  // NOLINT(ksim-static): programs do not change, and what is kept of them enters no run
  static Shared& shared = *new Shared();
  return shared;
}

absl::StatusOr<Read*> ReadOnce(const std::string& path) {
  Read& read = TheShared().files[path];
  if (read.file != nullptr) return &read;
  absl::StatusOr<std::unique_ptr<os::MappedFile>> wasm = os::MappedFile::Open(path);
  if (!wasm.ok()) return wasm.status();
  auto file = std::make_shared<ProgramFile>();
  file->path = path;
  file->hash = Hex(Hash128((*wasm)->content()));
  read.file = std::move(file);
  read.wasm = *std::move(wasm);
  return &read;
}

}  // namespace

std::string CodeFolder() {
  const std::optional<std::string> cache = os::Environment("XDG_CACHE_HOME");
  if (cache && !cache->empty()) return *cache + "/ksim/guest";
  const std::optional<std::string> home = os::Environment("HOME");
  return home && !home->empty() ? *home + "/.cache/ksim/guest" : "";
}

absl::StatusOr<std::shared_ptr<const ProgramFile>> ReadProgram(const std::string& path) {
  absl::StatusOr<Read*> read = ReadOnce(path);
  if (!read.ok()) return read.status();
  return (*read)->file;
}

void ConfigureGuests(Tier tier, std::function<void(const std::string&)> progress) {
  TheShared().tier = tier;
  TheShared().progress = std::move(progress);
}

absl::StatusOr<ProgramLibrary*> SharedLibrary() {
  Shared& shared = TheShared();
  if (!shared.engine) shared.engine = MakeWasmtimeEngine(shared.tier, CodeFolder());
  if (!shared.engine->ok()) return shared.engine->status();
  if (shared.library == nullptr)
    shared.library = std::make_unique<ProgramLibrary>(***shared.engine);
  return shared.library.get();
}

absl::StatusOr<ProgramLibrary::Entry*> LoadProgram(const std::string& path) {
  const auto loaded = TheShared().programs.find(path);
  if (loaded != TheShared().programs.end()) return loaded->second;
  absl::StatusOr<Read*> read = ReadOnce(path);
  if (!read.ok()) return read.status();
  absl::StatusOr<ProgramLibrary*> library = SharedLibrary();
  if (!library.ok()) return library.status();
  absl::StatusOr<ProgramLibrary::Entry*> program =
      (*library)->Load((*read)->wasm->content(), (*read)->file->hash, TheShared().progress);
  if (!program.ok()) return Annotate(program.status(), fmt::format("{} is no guest", path));
  (*read)->wasm = nullptr;
  TheShared().programs[path] = *program;
  return program;
}

}  // namespace ksim::guest
