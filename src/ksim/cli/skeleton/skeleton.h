// Skeleton: the files of a new controller: docs/examples/website with other names, and what a
// repository of its own needs beside them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ksim::cli {

struct SkeletonNames {
  SkeletonNames() = default;
  std::string name;   // of controller, process and program: widget-controller
  std::string kind;   // Widget
  std::string group;  // example.dev
};

struct SkeletonFile {
  SkeletonFile() = default;
  std::string path;  // below the new directory
  std::string text;
};

// Widget of widget-controller and widget-operator.
std::string KindFromName(std::string_view name);

// The reasons why the names are bad, in words; none for good ones.
std::vector<std::string> ProblemsOf(const SkeletonNames& names);

std::vector<SkeletonFile> MakeSkeleton(const SkeletonNames& names);

}  // namespace ksim::cli
