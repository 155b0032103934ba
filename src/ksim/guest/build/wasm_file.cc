#include "ksim/guest/build/wasm_file.h"

#include <fmt/format.h>

#include "absl/status/status.h"

namespace ksim::guest {
namespace {

constexpr std::string_view kMagic("\0asm\1\0\0\0", 8);
enum SectionId { kCustom = 0, kImports = 2, kMemories = 5, kExports = 7, kLastId = 13 };

// Reads from the front of a piece of the file. After a read past its end nothing else is read, and
// failed() holds.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::size_t at) : bytes_(bytes), at_(at) {}

  bool failed() const { return failed_; }
  bool done() const { return failed_ || bytes_.empty(); }
  std::size_t at() const { return at_; }

  std::uint8_t Byte() {
    const std::string_view one = Take(1);
    return one.empty() ? 0 : static_cast<std::uint8_t>(one[0]);
  }

  // LEB128, of 64 bits at most.
  std::uint64_t Number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = Byte();
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    failed_ = true;
    return 0;
  }

  std::string_view Take(std::uint64_t size) {
    if (failed_ || size > bytes_.size()) {
      failed_ = true;
      return {};
    }
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    at_ += size;
    return taken;
  }

  std::string_view Name() { return Take(Number()); }
  std::string_view Rest() { return Take(bytes_.size()); }

 private:
  std::string_view bytes_;
  std::size_t at_;
  bool failed_ = false;
};

WasmMemory ReadLimits(ByteReader& in) {
  WasmMemory memory;
  const std::uint8_t flags = in.Byte();
  memory.pages = in.Number();
  if ((flags & 1) != 0) memory.most = in.Number();
  return memory;
}

WasmImport ReadImport(ByteReader& in) {
  WasmImport import{in.Name(), in.Name(), 'f'};
  constexpr std::string_view kKinds = "ftmgx";
  const std::uint8_t kind = in.Byte();
  import.kind = kind < kKinds.size() ? kKinds[kind] : '?';
  switch (import.kind) {
    case 'f':
      in.Number();
      break;
    case 't':
      in.Byte();
      ReadLimits(in);
      break;
    case 'm':
      ReadLimits(in);
      break;
    default:  // a global's type and whether it changes; a tag's attribute and type
      in.Number();
      in.Number();
  }
  return import;
}

// Reads the parts of a section that a WasmModule tells. False if the section breaks off.
bool ReadSection(const WasmSection& section, WasmModule* module) {
  ByteReader in(section.contents, 0);
  if (section.id != kImports && section.id != kMemories && section.id != kExports) return true;
  // A wrong count would be that of more elements than there are bytes.
  for (std::uint64_t left = in.Number(); left > 0 && !in.failed(); --left) {
    if (section.id == kImports) module->imports.push_back(ReadImport(in));
    if (section.id == kMemories) module->memory = ReadLimits(in);
    if (section.id == kExports) {
      module->exports.push_back(in.Name());
      in.Byte();
      in.Number();
    }
  }
  return !in.failed();
}

absl::Status AtByte(std::size_t at, std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("byte {}: {}", at, what));
}

void AppendNumber(std::uint64_t value, std::string* out) {
  do {
    const auto low = static_cast<unsigned char>(value & 0x7f);
    value >>= 7;
    out->push_back(static_cast<char>(value == 0 ? low : low | 0x80));
  } while (value != 0);
}

}  // namespace

std::optional<std::string_view> WasmModule::Custom(std::string_view name) const {
  for (auto s = sections.rbegin(); s != sections.rend(); ++s)
    if (s->id == kCustom && s->name == name) return s->contents;
  return std::nullopt;
}

bool WasmModule::Imports(std::string_view module, std::string_view name) const {
  for (const WasmImport& i : imports)
    if (i.module == module && i.name == name) return true;
  return false;
}

bool WasmModule::Exports(std::string_view name) const {
  for (const std::string_view e : exports)
    if (e == name) return true;
  return false;
}

absl::StatusOr<WasmModule> ReadWasm(std::string_view bytes) {
  if (!bytes.starts_with(kMagic.substr(0, 4)))
    return absl::InvalidArgumentError("it does not begin as a WebAssembly module does");
  if (!bytes.starts_with(kMagic))
    return AtByte(
        4, "it is a component or of another version of WebAssembly, not a module of version 1");
  WasmModule module;
  ByteReader in(bytes.substr(kMagic.size()), kMagic.size());
  while (!in.done()) {
    WasmSection section;
    section.begin = in.at();
    section.id = in.Byte();
    if (section.id > kLastId)
      return AtByte(section.begin, fmt::format("no section has the id {}", section.id));
    const std::string_view contents = in.Take(in.Number());
    if (in.failed()) return AtByte(section.begin, "the file ends within this section");
    ByteReader inside(contents, 0);
    if (section.id == kCustom) section.name = inside.Name();
    section.contents = inside.Rest();
    if (inside.failed() || !ReadSection(section, &module))
      return AtByte(section.begin, fmt::format("section {} breaks off", section.id));
    module.sections.push_back(section);
  }
  return module;
}

std::string CustomSection(std::string_view name, std::string_view contents) {
  std::string inside;
  AppendNumber(name.size(), &inside);
  inside += name;
  inside += contents;
  std::string out(1, '\0');
  AppendNumber(inside.size(), &out);
  return out + inside;
}

}  // namespace ksim::guest
