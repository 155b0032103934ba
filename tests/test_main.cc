// main() of every test program. CTest runs several at a time, and two tests may give their files
// one name: so each process writes into a directory of its own, which it removes at its end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace {

// testing::TempDir() is the directory of TEST_TMPDIR. main() keeps a TEST_TMPDIR that is set
// already: by the user, or by the parent process of a death test.
class OwnTempDir {
 public:
  OwnTempDir() {
    if (::getenv("TEST_TMPDIR") != nullptr) return;
    std::string dir = testing::TempDir() + "ksim-test-XXXXXX";
    if (::mkdtemp(dir.data()) == nullptr) return;
    dir_ = dir;
    ::setenv("TEST_TMPDIR", dir_.c_str(), 1);
  }
  ~OwnTempDir() {
    std::error_code ignored;
    if (!dir_.empty()) std::filesystem::remove_all(dir_, ignored);
  }
  OwnTempDir(const OwnTempDir&) = delete;
  OwnTempDir& operator=(const OwnTempDir&) = delete;

 private:
  std::string dir_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  const OwnTempDir own;
  return RUN_ALL_TESTS();
}
