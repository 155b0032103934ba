#include "ksim/base/os.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "ksim/base/output_file.h"
#include "ksim/base/status.h"

namespace ksim::os {
namespace {

class OsTest : public testing::Test {
 protected:
  OsTest() {
    std::string name = testing::TempDir() + "ksim-os-XXXXXX";
    root_ = ::mkdtemp(name.data());
  }
  ~OsTest() override { std::filesystem::remove_all(root_); }
  std::string Path(const std::string& name) const { return root_ + "/" + name; }
  std::vector<std::string> Names() const { return *ListDirectory(root_); }
  std::string root_;
};

TEST_F(OsTest, WritesAndReadsWholeFiles) {
  const std::string big(200'000, 'x');
  for (const std::string& text : {std::string(), std::string("a\0b\n", 4), big}) {
    ASSERT_TRUE(WriteFile(Path("f"), text).ok());
    EXPECT_EQ(*ReadFile(Path("f")), text);
  }
  EXPECT_EQ(Names(), std::vector<std::string>{"f"});
}

TEST_F(OsTest, ReadErrorsSayWhy) {
  EXPECT_EQ(ReadFile(Path("none")).status(), absl::NotFoundError("no such file or directory"));
  EXPECT_EQ(ReadFile(root_).status(), absl::FailedPreconditionError("is a directory"));
  EXPECT_EQ(ErrnoStatus(EACCES), absl::PermissionDeniedError("permission denied"));
  EXPECT_EQ(ErrnoStatus(EPIPE).code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(ErrnoStatus(ENOSPC).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ErrnoStatus(EEXIST).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(ErrnoStatus(EIO).code(), absl::StatusCode::kUnavailable);
}

TEST_F(OsTest, FileAppearsWholeOrNotAtAll) {
  ASSERT_TRUE(WriteFile(Path("f"), "old").ok());
  {
    absl::StatusOr<OutputFile> file = OutputFile::Create(Path("f"));
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->Write(std::string(100'000, 'n')).ok());
    EXPECT_EQ(*ReadFile(Path("f")), "old");
  }  // never committed
  EXPECT_EQ(*ReadFile(Path("f")), "old");
  EXPECT_EQ(Names(), std::vector<std::string>{"f"});
}

TEST_F(OsTest, WhatIsUnfinishedCanBeRemovedAtOnce) {
  absl::StatusOr<OutputFile> begun = OutputFile::Create(Path("f"));
  ASSERT_TRUE(begun.ok() && begun->Write("half").ok());
  OutputFile moved = *std::move(begun);
  ASSERT_TRUE(WriteFile(Path("g"), "whole").ok());
  EXPECT_EQ(Names().size(), 2u);
  if (::fork() == 0) {
    RemoveUnfinished();  // of another process
    ::_exit(0);
  }
  ::wait(nullptr);
  EXPECT_EQ(Names().size(), 2u);
  RemoveUnfinished();
  EXPECT_EQ(Names(), std::vector<std::string>{"g"});
}

TEST_F(OsTest, OutputFileCanBeMoved) {
  absl::StatusOr<OutputFile> first = OutputFile::Create(Path("a"));
  absl::StatusOr<OutputFile> second = OutputFile::Create(Path("b"));
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_TRUE(first->Write("one").ok());
  *second = *std::move(first);
  ASSERT_TRUE(second->Write(" two").ok());
  ASSERT_TRUE(second->Commit().ok());
  EXPECT_EQ(Names(), std::vector<std::string>{"a"});
  EXPECT_EQ(*ReadFile(Path("a")), "one two");
}

TEST_F(OsTest, WritingKeepsModeAndLinks) {
  ASSERT_TRUE(WriteFile(Path("f"), "old").ok());
  ASSERT_EQ(::chmod(Path("f").c_str(), 0640), 0);
  ASSERT_EQ(::symlink("f", Path("link").c_str()), 0);
  ASSERT_TRUE(WriteFile(Path("link"), "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(Path("link")));
  EXPECT_EQ(*ReadFile(Path("f")), "new");
  struct stat s;
  ASSERT_EQ(::stat(Path("f").c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 07777, 0640u);
}

TEST_F(OsTest, NewFilesFollowTheUmask) {
  const mode_t before = ::umask(027);
  ASSERT_TRUE(WriteFile(Path("f"), "x").ok());
  ::umask(before);
  struct stat s;
  ASSERT_EQ(::stat(Path("f").c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 07777, 0640u);
}

TEST_F(OsTest, WriteErrorsLeaveNothingBehind) {
  EXPECT_EQ(WriteFile(Path("none/f"), "x").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(WriteFile(root_, "x").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(Names().empty());
  EXPECT_TRUE(WriteFile("/dev/null", "x").ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(OsTest, WritingToAClosedPipeIsCancelled) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ::close(ends[0]);
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(WriteToDescriptor(ends[1], "x").code(), absl::StatusCode::kCancelled);
  ::signal(SIGPIPE, before);
  ::close(ends[1]);
}

TEST_F(OsTest, ListsSortedAndBySuffix) {
  for (const char* name : {"b.yaml", "a.yaml", "B.yaml", "c.json", ".hidden.yaml"})
    ASSERT_TRUE(WriteFile(Path(name), "").ok());
  EXPECT_EQ(*ListDirectory(root_, ".yaml"),
            (std::vector<std::string>{".hidden.yaml", "B.yaml", "a.yaml", "b.yaml"}));
  EXPECT_EQ(ListDirectory(root_)->size(), 5u);
  EXPECT_EQ(ListDirectory(Path("none")).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(OsTest, DirectoriesAndRemoval) {
  EXPECT_TRUE(MakeDirectories(Path("a/b/c")).ok());
  EXPECT_TRUE(MakeDirectories(Path("a/b/c")).ok());
  EXPECT_TRUE(IsDirectory(Path("a/b/c")));
  ASSERT_TRUE(WriteFile(Path("f"), "").ok());
  EXPECT_TRUE(Exists(Path("f")));
  EXPECT_FALSE(IsDirectory(Path("f")));
  EXPECT_FALSE(MakeDirectories(Path("f/g")).ok());
  EXPECT_TRUE(RemoveFile(Path("f")).ok());
  EXPECT_FALSE(Exists(Path("f")));
  EXPECT_TRUE(RemoveFile(Path("f")).ok());
  EXPECT_FALSE(RemoveFile(Path("a")).ok());
}

TEST(Os, EnvironmentAndMachine) {
  ::setenv("KSIM_OS_TEST", "value", 1);
  EXPECT_EQ(Environment("KSIM_OS_TEST"), "value");
  ::unsetenv("KSIM_OS_TEST");
  EXPECT_EQ(Environment("KSIM_OS_TEST"), std::nullopt);
  EXPECT_GE(ProcessorCount(), 1);
  EXPECT_GT(ResidentBytes(), 0);
  const Duration before = MonotonicNow();
  EXPECT_LE(before, MonotonicNow());
  EXPECT_GT(WallClockUnixSeconds(), kEpochUnixSeconds);
  const int null = ::open("/dev/null", O_RDONLY);
  EXPECT_FALSE(IsTerminal(null));
  ::close(null);
}

TEST(OsDeathTest, DashIsStandardInputAndOutput) {
  EXPECT_EXIT(
      {
        int ends[2];
        if (::pipe(ends) != 0) std::exit(1);
        if (!WriteToDescriptor(ends[1], "from the pipe").ok()) std::exit(2);
        ::close(ends[1]);
        ::dup2(ends[0], STDIN_FILENO);
        ::dup2(STDERR_FILENO, STDOUT_FILENO);
        std::exit(WriteFile("-", *ReadFile("-")).ok() ? 0 : 3);
      },
      testing::ExitedWithCode(0), "from the pipe");
}

}  // namespace
}  // namespace ksim::os
