// The files that MakeSkeleton renames, embedded by cmake/Embed.cmake: those of
// docs/examples/website, and those beside this header, which only a repository of its own needs.
#pragma once
#include <string_view>

namespace ksim::cli {

extern const std::string_view kSkeletonCMake;
extern const std::string_view kSkeletonMain;
extern const std::string_view kSkeletonController;
extern const std::string_view kSkeletonRegistry;
extern const std::string_view kSkeletonTest;
extern const std::string_view kSkeletonScenario;
extern const std::string_view kSkeletonIgnore;
extern const std::string_view kSkeletonReadme;
extern const std::string_view kSkeletonWorkflow;

}  // namespace ksim::cli
