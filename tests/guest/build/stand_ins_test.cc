#include "ksim/guest/build/stand_ins.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "ksim/base/os.h"
#include "ksim/guest/build/overlay.h"
#include "ksim/guest/build/sources.h"
#include "ksim/value/json.h"

namespace ksim::guest {
namespace {

class StandIns : public testing::Test {
 protected:
  StandIns() {
    std::string name = testing::TempDir() + "ksim-stand-ins-XXXXXX";
    root_ = ::mkdtemp(name.data());
  }
  ~StandIns() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& file, const std::string& text) {
    const std::string path = root_ + "/" + file;
    ASSERT_TRUE(os::MakeDirectories(path.substr(0, path.rfind('/'))).ok());
    ASSERT_TRUE(os::WriteFile(path, text).ok());
  }
  void Add(const std::string& module, const std::string& path, std::vector<std::string> ignored) {
    GoPackage p;
    p.path = path;
    p.module = module;
    p.directory = root_;
    p.ignored = std::move(ignored);
    packages_.by_path[path] = p;
  }

  std::string root_;
  GoPackages packages_;
};

TEST_F(StandIns, AreThoseOfTheFilesThatAreIgnored) {
  Add("golang.org/x/sys", "golang.org/x/sys/unix", {"syscall_linux.go"});
  Add("k8s.io/kubernetes", "k8s.io/kubernetes/pkg/securitycontext", {"util_darwin.go"});
  Add("e.com/fork", "k8s.io/kubernetes/pkg/util/filesystem", {"util_unix.go"});
  const auto needed = NeededStandIns(packages_);
  ASSERT_TRUE(needed.ok());
  ASSERT_EQ(needed->size(), 1U);
  EXPECT_EQ((*needed)[0].package, "golang.org/x/sys/unix");
  EXPECT_EQ((*needed)[0].contents, kUnixGo);
}

TEST_F(StandIns, AreTheFileOfAnotherSystemWithAnotherCondition) {
  Add("k8s.io/kubernetes", "k8s.io/kubernetes/pkg/util/filesystem", {"util_unix.go"});
  Write("util_unix.go",
        "//go:build freebsd || linux\n// +build freebsd linux\n\n/* License */\n\npackage "
        "filesystem\n\nfunc F() {}");
  const auto needed = NeededStandIns(packages_);
  ASSERT_TRUE(needed.ok());
  ASSERT_EQ(needed->size(), 1U);
  EXPECT_EQ((*needed)[0].contents,
            "//go:build wasip1\n\n/* License */\n\npackage filesystem\n\nfunc F() {}");
  Write("util_unix.go", "package filesystem\n");
  EXPECT_EQ(NeededStandIns(packages_)->at(0).contents, "//go:build wasip1\n\npackage filesystem\n");
  std::filesystem::remove(root_ + "/util_unix.go");
  EXPECT_FALSE(NeededStandIns(packages_).ok());
}

TEST_F(StandIns, MakeInClusterConfigPlain) {
  EXPECT_EQ(PlainInCluster(packages_)->size(), 0U);
  Add("k8s.io/client-go", std::string(kRestPackage), {});
  Write("config.go", "package rest\n\tHost: \"https://\" + net.JoinHostPort(host, port),\n");
  const auto files = PlainInCluster(packages_);
  ASSERT_TRUE(files.ok());
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ((*files)[0].file, "config.go");
  EXPECT_EQ((*files)[0].contents,
            "package rest\n\tHost: simScheme() + net.JoinHostPort(host, port),\n");
  EXPECT_EQ((*files)[1].contents, kRestGo);
  Write("config.go", "package rest\n");
  EXPECT_EQ(PlainInCluster(packages_)->size(), 0U);
}

TEST_F(StandIns, LetFilesBeWatchedThatNeverChange) {
  EXPECT_EQ(SilentFileWatches(packages_)->size(), 0U);
  const std::string path = "github.com/fsnotify/fsnotify";
  Add(path, path, {});
  EXPECT_EQ(SilentFileWatches(packages_)->size(), 0U) << "it has a file of its own for wasip1";
  packages_.by_path[path].files = {"backend_other.go"};
  const std::string refusal =
      "return nil, errors.New(\"fsnotify not supported on the current platform\")\n}\n";
  Write("backend_other.go",
        "func newBackend(ev chan Event, errs chan error) (backend, error) {\n\t" + refusal);
  EXPECT_EQ(SilentFileWatches(packages_)->at(0).contents,
            "func newBackend(ev chan Event, errs chan error) (backend, error) {\n\t"
            "return &other{Events: ev, Errors: errs}, errors.Join()\n}\n");
  Write("backend_other.go", "func NewWatcher() (*Watcher, error) {\n\t" + refusal);
  EXPECT_EQ(SilentFileWatches(packages_)->at(0).contents,
            "func NewWatcher() (*Watcher, error) {\n\treturn &Watcher{Events: make(chan Event), "
            "Errors: make(chan error)}, errors.Join()\n}\n");
  Write("backend_other.go", "package fsnotify\n");
  EXPECT_EQ(SilentFileWatches(packages_)->size(), 0U);
}

TEST_F(StandIns, ComeIntoAModuleThatIsNowhere) {
  Write("m/go.mod", "module m\n");
  Write("m/a.go", "package m\n");
  Write("m/a_test.go", "package m\n");
  Write("m/b/c.txt", "embedded");
  Write("out/x", "");
  Overlay overlay(root_ + "/out");
  ASSERT_TRUE(overlay.AddModule("e.com/m", root_ + "/m").ok());
  ASSERT_TRUE(
      overlay.AddText(Overlay::VirtualDirectory("e.com/m") + "/b/d.go", "package b\n").ok());
  const auto file = overlay.Write();
  ASSERT_TRUE(file.ok());
  const auto json = value::ParseJson(*os::ReadFile(*file));
  ASSERT_TRUE(json.ok());
  std::vector<std::string> names;
  for (const value::Value::Member& m : json->Get("Replace").members())
    names.emplace_back(m.name.text());
  EXPECT_EQ(names, (std::vector<std::string>{
                       "/ksim-virtual/e.com/m/a.go", "/ksim-virtual/e.com/m/b/c.txt",
                       "/ksim-virtual/e.com/m/b/d.go", "/ksim-virtual/e.com/m/go.mod"}));
  EXPECT_EQ(json->Get("Replace").Get("/ksim-virtual/e.com/m/a.go").AsString(), root_ + "/m/a.go");
  const std::string added(json->Get("Replace").Get("/ksim-virtual/e.com/m/b/d.go").AsString());
  EXPECT_EQ(*os::ReadFile(added), "package b\n");
}

}  // namespace
}  // namespace ksim::guest
