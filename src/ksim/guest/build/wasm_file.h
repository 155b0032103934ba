// Reads as much of a WebAssembly module as is needed to say what it is, and appends custom
// sections.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace ksim::guest {

struct WasmSection {
  int id = 0;                 // of the specification: 0 custom, 2 import, 5 memory, 7 export ...
  std::string_view name;      // of a custom section
  std::string_view contents;  // behind the name
  std::size_t begin = 0;      // in the file, of its id
};

struct WasmImport {
  std::string_view module, name;
  char kind = 'f';  // f function, t table, m memory, g global, x tag
};

struct WasmMemory {
  std::uint64_t pages = 0;            // of 64 KiB, at the start
  std::optional<std::uint64_t> most;  // none: as far as 32 bits reach
};

struct WasmModule {
  std::vector<WasmSection> sections;
  std::vector<WasmImport> imports;
  std::vector<std::string_view> exports;  // names
  std::optional<WasmMemory> memory;

  // The contents of a custom section, of the last one of that name.
  std::optional<std::string_view> Custom(std::string_view name) const;
  bool Imports(std::string_view module, std::string_view name) const;
  bool Exports(std::string_view name) const;
};

// The module points into `bytes`. InvalidArgument says what is wrong and where: "byte 8: ...".
absl::StatusOr<WasmModule> ReadWasm(std::string_view bytes);

// The bytes of a custom section, to be put behind a module.
std::string CustomSection(std::string_view name, std::string_view contents);

}  // namespace ksim::guest
