#include "ksim/guest/build/edits.h"

#include <gtest/gtest.h>

#include "ksim/base/status.h"
#include "ksim/guest/build/sources.h"

namespace ksim::guest {
namespace {

constexpr std::string_view kEdits =
    "# a comment\n"
    "\n"
    "file src/runtime/a.go\n"
    "replace\n"
    "func old() {\n"
    "\treturn\n"
    "with\n"
    "func new() {\n"
    "\treturn 1\n"
    "end\n"
    "replace\n"
    "const x = 1\n"
    "with\n"
    "end\n"
    "file src/net/b.go\n";

TEST(Edits, AreRead) {
  const auto files = ReadEdits(kEdits);
  ASSERT_TRUE(files.ok()) << Message(files.status());
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ((*files)[0].path, "src/runtime/a.go");
  ASSERT_EQ((*files)[0].edits.size(), 2U);
  EXPECT_EQ((*files)[0].edits[0].line, 4);
  EXPECT_EQ((*files)[0].edits[0].text, "func old() {\n\treturn");
  EXPECT_EQ((*files)[0].edits[0].replacement, "func new() {\n\treturn 1");
  EXPECT_EQ((*files)[0].edits[1].replacement, "");
  EXPECT_EQ((*files)[1].path, "src/net/b.go");
}

TEST(Edits, OfTheSourcesAreWellFormed) {
  const auto files = ReadEdits(kStdEdits);
  ASSERT_TRUE(files.ok()) << Message(files.status());
  for (const FileEdits& file : *files) EXPECT_FALSE(file.edits.empty()) << file.path;
}

TEST(Edits, ComplainWithTheLine) {
  const auto message = [](std::string_view text) {
    return std::string(Message(ReadEdits(text).status()));
  };
  EXPECT_EQ(message("replace\na\nwith\nb\nend\n"), "line 1: replace without a file");
  EXPECT_EQ(message("file f\nreplace\na\n"), "line 2: replace without with");
  EXPECT_EQ(message("file f\nreplace\na\nwith\nb\n"), "line 2: replace without end");
  EXPECT_EQ(message("file f\n\nreplace\nwith\nb\nend\n"), "line 3: nothing is replaced");
  EXPECT_EQ(message("change f\n"), "line 1: \"change f\" is no command");
}

TEST(Edits, AreMade) {
  const FileEdits file = (*ReadEdits(kEdits))[0];
  const auto edited =
      ApplyEdits(file, "package a\n\nfunc old() {\n\treturn\n}\n\nconst x = 1\n// end\n");
  ASSERT_TRUE(edited.ok()) << Message(edited.status());
  EXPECT_EQ(*edited, "package a\n\nfunc new() {\n\treturn 1\n}\n\n\n// end\n");
}

TEST(Edits, OfAnotherGoDoNotFit) {
  const FileEdits file = (*ReadEdits(kEdits))[0];
  EXPECT_EQ(
      Message(ApplyEdits(file, "const x = 1\n").status()),
      "src/runtime/a.go holds the 2 lines that begin with \"func old() {\" nowhere, not once");
  EXPECT_EQ(
      Message(ApplyEdits(file, "func old() {\n\treturn\nconst x = 1\nconst x = 1\n").status()),
      "src/runtime/a.go holds the 1 lines that begin with \"const x = 1\" 2 times, not once");
}

}  // namespace
}  // namespace ksim::guest
