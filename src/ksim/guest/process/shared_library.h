// The guest programs of this process of the machine: files read and code compiled once, for as many
// runs as it does.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ksim/guest/engine/wasmtime_engine.h"
#include "ksim/guest/process/program_library.h"

namespace ksim::guest {

// A program's file as it was when it was read first.
struct ProgramFile {
  ProgramFile() = default;
  std::string path;
  std::string hash;  // 32 hexadecimal digits, over the content
};

// NotFound, or what else reading says.
absl::StatusOr<std::shared_ptr<const ProgramFile>> ReadProgram(const std::string& path);

// How the programs that are loaded from now on are compiled where no code is there, and who is told
// what takes long. By default they are compiled quickly and nobody is told.
void ConfigureGuests(Tier tier, std::function<void(const std::string&)> progress);

// The folder where compiled code is kept; "" if there is none.
std::string CodeFolder();
// The library, or why there is none (LoadWasmtime). The same one each time.
absl::StatusOr<ProgramLibrary*> SharedLibrary();
// The program in a file; it is named in what is wrong.
absl::StatusOr<ProgramLibrary::Entry*> LoadProgram(const std::string& path);

}  // namespace ksim::guest
