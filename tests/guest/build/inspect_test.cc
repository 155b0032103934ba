#include "ksim/guest/build/inspect.h"

#include <gtest/gtest.h>

#include "ksim/base/status.h"
#include "tests/guest/build/small_wasm.h"

namespace ksim::guest {
namespace {

// As Go's linker writes it into the data of a program.
std::string GoText(const std::string& text) {
  return std::string("\x30\x77\xaf\x0c\x92\x74\x08\x02\x41\xe1\xc1\x07\xe6\xd6\x18\xe6", 16) +
         text + std::string("\xf9\x32\x43\x31\x86\x18\x20\x72\x00\x82\x42\x10\x41\x16\xd8\xf2", 16);
}

constexpr char kGoText[] =
    "path\texample.com/operator/cmd\n"
    "mod\texample.com/operator\t(devel)\t\n"
    "dep\tgolang.org/x/sys\tv0.18.0\n"
    "=>\t/ksim-virtual/golang.org/x/sys\n"
    "dep\tk8s.io/client-go\tv0.29.0\th1:a=\n"
    "=>\tk8s.io/client-go\tv0.30.14\th1:b=\n"
    "build\t-compiler=gc\n";

std::string Producers() {
  return CustomSection("producers", std::string("\1\10language\1\2Go\10go1.26.8", 23));
}

std::string Built(const std::string& wasm) {
  const BuildInfo info{.ksim = "0.1.0",
                       .go = "go1.26.8",
                       .package = "example.com/operator/cmd",
                       .module = "example.com/operator",
                       .version = "v1.2.3",
                       .edits = "e",
                       .inputs = "i",
                       .wasm = Sha256Hex(wasm)};
  return wasm + CustomSection(kBuildSection, ToJson(info));
}

std::string Program() {
  return SmallGuest() + CustomSection("data", GoText(kGoText)) + Producers();
}

TEST(Inspect, ShowsAGuest) {
  const std::string bytes = Built(Program());
  const auto guest = Inspect(bytes);
  ASSERT_TRUE(guest.ok()) << Message(guest.status());
  EXPECT_EQ(guest->go, "go1.26.8");
  EXPECT_EQ(guest->module.path, "example.com/operator");
  EXPECT_EQ(guest->module.version, "v1.2.3");
  EXPECT_EQ(guest->package, "example.com/operator/cmd");
  ASSERT_EQ(guest->libraries.size(), 1U);
  EXPECT_EQ(guest->libraries[0].path, "k8s.io/client-go");
  EXPECT_EQ(guest->libraries[0].version, "v0.30.14");  // the replacement's
  EXPECT_EQ(guest->memory.pages, 200U);
  EXPECT_EQ(guest->size, bytes.size());
  EXPECT_TRUE(guest->built_by_ksim);
  EXPECT_EQ(Complaint(*guest), "");
}

TEST(Inspect, SeesAChange) {
  std::string bytes = Built(Program());
  const std::size_t at = bytes.find("(devel)");
  bytes[at] = 'x';
  EXPECT_EQ(Complaint(*Inspect(bytes)), "the file was changed after ksim built it; build it again");
  EXPECT_EQ(Complaint(*Inspect(Built(Program()) + CustomSection("more", ""))),
            "the file was changed after ksim built it; build it again");
}

TEST(Inspect, AProgramOfAnotherBuildCannotBePaused) {
  const std::string wasi = Imports({Function("wasi_snapshot_preview1", "fd_write")});
  const std::string plain = Module({TypeSection(), wasi, MemorySection(), StartExport()});
  EXPECT_EQ(Complaint(*Inspect(plain + Producers())),
            "not built by ksim, which cannot pause it; build it with `ksim guest build DIR`");
  EXPECT_EQ(
      Complaint(*Inspect(plain)),
      "no Go program: ksim cannot pause it; guests are Go programs that `ksim guest build` has "
      "built");
}

TEST(Inspect, SaysWhyAModuleIsNoProgram) {
  const auto message = [](const std::string& bytes) {
    return std::string(Message(Inspect(bytes).status()));
  };
  const std::string wasi = Imports({Function("wasi_snapshot_preview1", "fd_write")});
  EXPECT_EQ(message("text"),
            "it is no WebAssembly module: it does not begin as a WebAssembly module does");
  EXPECT_EQ(message(Module({TypeSection(), wasi, StartExport("main")})),
            "it is a WebAssembly module, but no program for WASI preview 1: it does not export "
            "_start");
  EXPECT_EQ(message(Module({TypeSection(), Imports({Function("gojs", "run")}), StartExport()})),
            "it is a WebAssembly module, but no program for WASI preview 1: it imports nothing of "
            "wasi_snapshot_preview1");
}

TEST(BuildInfo, SurvivesJson) {
  BuildInfo info;
  info.go = "go1.26.8";
  info.wasm = "\"\n";
  const auto read = ReadBuildInfo(ToJson(info));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->go, "go1.26.8");
  EXPECT_EQ(read->wasm, "\"\n");
  EXPECT_EQ(read->version, "");
  EXPECT_FALSE(ReadBuildInfo("{").ok());
  EXPECT_FALSE(ReadBuildInfo("[]").ok());
}

TEST(BuildInfo, OfGoIsFoundWhole) {
  EXPECT_EQ(FindGoBuildInfo("nothing"), std::nullopt);
  const std::string text = "before" + GoText(kGoText) + "after";
  EXPECT_NE(FindGoBuildInfo(text), std::nullopt);
  EXPECT_EQ(FindGoBuildInfo(text.substr(0, text.size() - 8)), std::nullopt);
  EXPECT_NE(FindGoBuildInfo(GoText("mod\npath\n=>\n\n")), std::nullopt);
}

}  // namespace
}  // namespace ksim::guest
