#include "ksim/guest/build/wasm_file.h"

#include <gtest/gtest.h>

#include "ksim/base/status.h"
#include "tests/guest/build/small_wasm.h"

namespace ksim::guest {
namespace {

TEST(WasmFile, TellsWhatAModuleHas) {
  const std::string bytes =
      SmallGuest() + CustomSection("note", "one") + CustomSection("note", "two");
  const auto module = ReadWasm(bytes);
  ASSERT_TRUE(module.ok()) << Message(module.status());
  EXPECT_TRUE(module->Imports("wasi_snapshot_preview1", "fd_write"));
  EXPECT_TRUE(module->Imports("ksim", "idle"));
  EXPECT_FALSE(module->Imports("ksim", "fd_write"));
  EXPECT_TRUE(module->Exports("_start"));
  EXPECT_FALSE(module->Exports("start"));
  ASSERT_TRUE(module->memory.has_value());
  EXPECT_EQ(module->memory->pages, 200U);
  EXPECT_EQ(module->memory->most, std::nullopt);
  EXPECT_EQ(module->Custom("note"), "two");
  EXPECT_EQ(module->Custom("other"), std::nullopt);
  EXPECT_EQ(module->sections.back().begin, bytes.size() - CustomSection("note", "two").size());
}

TEST(WasmFile, ReadsAllKindsOfImports) {
  const std::string bytes =
      Module({Section(2, {4, 1, 'm', 1,   't', 1,   0x70, 1,    2, 3, 1,   'm', 1,   'm', 2, 1,
                          1, 5, 1,   'm', 1,   'g', 3,    0x7f, 1, 1, 'm', 1,   'f', 0,   9})});
  const auto module = ReadWasm(bytes);
  ASSERT_TRUE(module.ok()) << Message(module.status());
  std::string kinds;
  for (const WasmImport& i : module->imports) kinds += i.kind;
  EXPECT_EQ(kinds, "tmgf");
}

TEST(WasmFile, LongSectionsHaveLongSizes) {
  for (const std::size_t size : {0U, 1U, 126U, 127U, 128U, 16383U, 16384U, 70000U}) {
    const std::string contents(size, 'x');
    const std::string bytes = Module({}) + CustomSection("n", contents);
    const auto module = ReadWasm(bytes);
    ASSERT_TRUE(module.ok()) << size;
    EXPECT_EQ(module->Custom("n"), contents);
  }
}

// A truncated file is an error at every byte but between two sections, and never read past its end.
TEST(WasmFile, TruncatedFilesAreNoModules) {
  const std::string bytes = SmallGuest() + CustomSection("note", "contents");
  const auto whole = ReadWasm(bytes);
  ASSERT_TRUE(whole.ok());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string cut(bytes.data(), size);
    bool between = size == 8;
    for (const WasmSection& section : whole->sections) between |= section.begin == size;
    EXPECT_EQ(ReadWasm(cut).ok(), between) << size;
  }
}

// Bytes that are not what they should be give a module or an error.
TEST(WasmFile, ChangedBytesDoNoHarm) {
  const std::string bytes = SmallGuest();
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const unsigned char byte : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(byte);
      const auto module = ReadWasm(changed);
      EXPECT_TRUE(module.ok() || !Message(module.status()).empty());
    }
}

TEST(WasmFile, SaysWhatIsWrong) {
  const auto message = [](const std::string& bytes) {
    return std::string(Message(ReadWasm(bytes).status()));
  };
  EXPECT_EQ(message(""), "it does not begin as a WebAssembly module does");
  EXPECT_EQ(message("#!/bin/sh\n"), "it does not begin as a WebAssembly module does");
  EXPECT_EQ(message(std::string("\0asm\x0d\0\1\0", 8)),
            "byte 4: it is a component or of another version of WebAssembly, not a module of "
            "version 1");
  EXPECT_EQ(message(Module({}) + std::string("\x2a\0", 2)), "byte 8: no section has the id 42");
  EXPECT_EQ(message(Module({}) + std::string("\x02\x05\x01", 3)),
            "byte 8: the file ends within this section");
  EXPECT_EQ(message(Module({Section(2, {2, 1, 'm', 1, 'f', 0, 0})})),
            "byte 8: section 2 breaks off");
}

}  // namespace
}  // namespace ksim::guest
