#include "ksim/base/directory_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ksim/base/os.h"
#include "ksim/base/status.h"

namespace ksim::os {
namespace {

class DirectoryLockTest : public testing::Test {
 protected:
  DirectoryLockTest() { EXPECT_TRUE(MakeDirectories(dir_).ok()); }
  const std::string dir_ = testing::TempDir() + "directory-lock";
};

TEST_F(DirectoryLockTest, TheSecondIsToldWhoHoldsIt) {
  {
    const auto first = DirectoryLock::Take(dir_, "process 1, ksim fuzz a.yaml");
    ASSERT_TRUE(first.ok());
    const auto second = DirectoryLock::Take(dir_, "process 2");
    EXPECT_TRUE(absl::IsFailedPrecondition(second.status()));
    EXPECT_EQ(Message(second.status()), "process 1, ksim fuzz a.yaml");
  }
  EXPECT_TRUE(ListDirectory(dir_, ".lock")->empty());
  EXPECT_TRUE(DirectoryLock::Take(dir_, "process 2").ok());
}

// A process that dies leaves the file, and no lock.
TEST_F(DirectoryLockTest, AfterACrashItIsFree) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = DirectoryLock::Take(dir_, "a process that dies, and whose name is long");
    ::_exit(lock.ok() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(ListDirectory(dir_, ".lock")->empty());
  const auto first = DirectoryLock::Take(dir_, "process 3");
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(Message(DirectoryLock::Take(dir_, "process 4").status()), "process 3");
}

TEST_F(DirectoryLockTest, WhatCannotBeWrittenIsNoHolder) {
  const absl::Status status = DirectoryLock::Take(dir_ + "/none", "process 5").status();
  EXPECT_FALSE(status.ok());
  EXPECT_FALSE(absl::IsFailedPrecondition(status));
}

}  // namespace
}  // namespace ksim::os
