// Modules of a few bytes: as much as tells what a file is. They do nothing when run.
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "ksim/guest/build/wasm_file.h"

namespace ksim::guest {

// A section of less than 128 bytes.
inline std::string Section(char id, const std::string& contents) {
  return std::string{id, static_cast<char>(contents.size())} + contents;
}
inline std::string Section(char id, std::initializer_list<int> contents) {
  std::string text;
  for (const int byte : contents) text += static_cast<char>(byte);
  return Section(id, text);
}

inline std::string Module(const std::vector<std::string>& sections) {
  std::string bytes("\0asm\1\0\0\0", 8);
  for (const std::string& section : sections) bytes += section;
  return bytes;
}

inline std::string Named(const std::string& text) {
  return std::string(1, static_cast<char>(text.size())) + text;
}

// The import of a function of type 0.
inline std::string Function(const std::string& module, const std::string& name) {
  return Named(module) + Named(name) + std::string("\0\0", 2);
}

inline std::string Imports(const std::vector<std::string>& functions) {
  std::string contents(1, static_cast<char>(functions.size()));
  for (const std::string& function : functions) contents += function;
  return Section(2, contents);
}

inline std::string TypeSection() { return Section(1, {1, 0x60, 0, 0}); }
// 200 pages, without a bound.
inline std::string MemorySection() { return Section(5, {1, 0, 0xc8, 0x01}); }
inline std::string StartExport(const std::string& name = "_start") {
  return Section(7, std::string(1, '\1') + Named(name) + std::string("\0\0", 2));
}

inline std::string SmallGuest() {
  return Module(
      {TypeSection(),
       Imports({Function("wasi_snapshot_preview1", "fd_write"), Function("ksim", "idle")}),
       MemorySection(), StartExport()});
}

}  // namespace ksim::guest
