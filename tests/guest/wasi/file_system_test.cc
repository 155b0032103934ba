#include "ksim/guest/wasi/file_system.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ksim::guest {
namespace {

using ::testing::ElementsAre;

FileSystem::Content Text(const char* text) { return std::make_shared<const std::string>(text); }

TEST(FileSystem, CleansPaths) {
  EXPECT_EQ(FileSystem::Clean("/etc//hosts"), "etc/hosts");
  EXPECT_EQ(FileSystem::Clean("./a/../b/."), "b");
  EXPECT_EQ(FileSystem::Clean("../../x"), "x") << "nothing lies above the root";
  EXPECT_EQ(FileSystem::Clean("/"), "");
}

TEST(FileSystem, HasTheDirectoriesAboveItsFiles) {
  FileSystem files;
  files.Put("a/b/c", Text("1"));
  EXPECT_TRUE(files.IsDirectory("a/b"));
  EXPECT_FALSE(files.IsDirectory("a/b/c"));
  EXPECT_THAT(files.List(""), ElementsAre("a"));
  EXPECT_THAT(files.List("a/b"), ElementsAre("c"));
  EXPECT_FALSE(files.RemoveDirectory("a/b")) << "it is not empty";
  EXPECT_TRUE(files.Remove("a/b/c"));
  EXPECT_TRUE(files.RemoveDirectory("a/b"));
  EXPECT_FALSE(files.MakeDirectory("x/y")) << "x is not there";
}

TEST(FileSystem, RenamesADirectoryWithWhatIsInIt) {
  FileSystem files;
  files.Put("old/x", Text("1"));
  files.Put("older", Text("2"));
  EXPECT_TRUE(files.Rename("old", "new"));
  EXPECT_EQ(*files.Find("new/x"), "1");
  EXPECT_EQ(files.Find("old/x"), nullptr);
  EXPECT_EQ(*files.Find("older"), "2") << "only the name begins alike";
  EXPECT_FALSE(files.Rename("new", "new/inside"));
}

TEST(FileSystem, CopiesDoNotSeeEachOther) {
  FileSystem files;
  files.Put("a", Text("1"));
  FileSystem copy = files;
  EXPECT_EQ(copy.Digest(), files.Digest());
  copy.Put("a", Text("2"));
  EXPECT_EQ(*files.Find("a"), "1");
  EXPECT_NE(copy.Digest(), files.Digest());
}

}  // namespace
}  // namespace ksim::guest
