#include "ksim/guest/build/problems.h"

#include <gtest/gtest.h>

namespace ksim::guest {
namespace {

GoPackage Package(std::string path, std::string module, std::vector<std::string> imports) {
  GoPackage p;
  p.path = std::move(path);
  p.module = std::move(module);
  p.imports = std::move(imports);
  return p;
}

// main -> a -> b -> lib, main -> c -> lib
GoPackages Packages() {
  GoPackages packages;
  packages.main = "e.com/op/main";
  for (GoPackage p : {Package("e.com/op/main", "e.com/op", {"e.com/op/a", "e.com/op/c"}),
                      Package("e.com/op/a", "e.com/op", {"b"}), Package("b", "b", {"lib"}),
                      Package("e.com/op/c", "e.com/op", {"lib"}), Package("lib", "lib", {})}) {
    const std::string path = p.path;
    packages.by_path[path] = std::move(p);
  }
  return packages;
}

TEST(Packages, ChainIsTheShortest) {
  using Chain = std::vector<std::string>;
  EXPECT_EQ(Packages().ChainTo("lib"), (Chain{"e.com/op/main", "e.com/op/c", "lib"}));
  EXPECT_EQ(Packages().ChainTo("e.com/op/main"), Chain{"e.com/op/main"});
  EXPECT_EQ(Packages().ChainTo("unknown"), Chain{"unknown"});
}

TEST(Problems, NameWhoWantsAPackageThatIsNotForWasip1) {
  GoPackages packages = Packages();
  packages.by_path["lib"].error = "build constraints exclude all Go files in /m/lib";
  packages.by_path["lib"].ignored = {"lib_linux.go", "lib_windows.go"};
  packages.by_path["b"].error = "no required module provides package b";
  EXPECT_EQ(Render(PackageProblems(packages), false),
            "b: error: no required module provides package b\n"
            "      hint: it is imported by e.com/op/main -> e.com/op/a -> b\n"
            "lib: error: none of its files is for wasip1 (lib_linux.go, lib_windows.go)\n"
            "      hint: it is imported by e.com/op/main -> e.com/op/c -> lib\n");
}

TEST(Problems, OfTheCompilerHaveTheirPlace) {
  const std::vector<Diagnostic> problems =
      CompileProblems({"# lib", "/m/lib/x.go:12:3: undefined: syscall.Mount",
                       "/m/lib/x.go:13:3: too many errors", "# e.com/op/main [e.com/op/main.test]",
                       "./main.go:5: no column", "link: something: 5 of it"},
                      Packages(), "op");
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_EQ(problems[0].file, "/m/lib/x.go");
  EXPECT_EQ(problems[0].span.line, 12);
  EXPECT_EQ(problems[0].span.column, 3);
  EXPECT_EQ(problems[0].message, "undefined: syscall.Mount");
  EXPECT_EQ(problems[0].hint,
            "lib has nothing for wasip1 here, and ksim has no stand-in for it; it is imported by "
            "e.com/op/main -> e.com/op/c -> lib");
  EXPECT_EQ(problems[1].file, "op/main.go");
  EXPECT_EQ(problems[1].span.line, 5);
  EXPECT_EQ(problems[1].message, "no column");
  EXPECT_EQ(problems[2].file, "e.com/op/main");
  EXPECT_EQ(problems[2].message, "link: something: 5 of it");
}

}  // namespace
}  // namespace ksim::guest
