#include "ksim/cli/skeleton/skeleton.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <utility>

#include "ksim/api/kinds.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/cli/skeleton/templates.h"
#include "ksim/registry.h"

namespace ksim::cli {
namespace {

char Upper(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }
bool IsLetterOrDigit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

std::string Cased(std::string text, int (*to)(int)) {
  for (char& c : text) c = static_cast<char>(to(static_cast<unsigned char>(c)));
  return text;
}

// The example's words, each with the word in its place; one that contains another comes first.
using Words = std::vector<std::pair<std::string_view, std::string>>;

Words WordsOf(const SkeletonNames& names) {
  return {{"website-controller", names.name},
          {"example.dev", names.group},
          {"websites", api::GuessPlural(names.kind)},
          {"website", Cased(names.kind, std::tolower)},
          {"Website", names.kind},
          {"WEBSITE", Cased(names.kind, std::toupper)}};
}

std::string Renamed(std::string_view text, const Words& words) {
  std::string out;
  while (!text.empty()) {
    const auto word = std::find_if(words.begin(), words.end(),
                                   [&](const auto& w) { return text.starts_with(w.first); });
    out += word == words.end() ? std::string(text.substr(0, 1)) : word->second;
    text.remove_prefix(word == words.end() ? 1 : word->first.size());
  }
  return out;
}

bool IsKindName(const std::string& kind) {
  return !kind.empty() && kind[0] >= 'A' && kind[0] <= 'Z' &&
         std::all_of(kind.begin(), kind.end(), IsLetterOrDigit);
}

}  // namespace

std::string KindFromName(std::string_view name) {
  for (const std::string_view role : {"-controller", "-operator"})
    if (name.size() > role.size() && name.ends_with(role)) name.remove_suffix(role.size());
  std::string kind;
  bool begins = true;
  for (const char c : name) {
    if (IsLetterOrDigit(c)) kind += begins ? Upper(c) : c;
    begins = !IsLetterOrDigit(c);
  }
  return kind;
}

std::vector<std::string> ProblemsOf(const SkeletonNames& names) {
  std::vector<std::string> out;
  if (!IsKindName(names.kind))
    out.push_back(fmt::format(
        "\"{}\" is no kind: a capital, then letters and digits; --kind says it", names.kind));
  for (const std::string& problem : api::Dns1123Subdomain(names.group))
    out.push_back(fmt::format("\"{}\" is no group: {}", names.group, problem));
  if (names.group.find('.') == std::string::npos || names.group.ends_with(".k8s.io"))
    out.push_back(
        fmt::format("\"{}\" is Kubernetes' own: a group of yours has a domain of yours, as "
                    "example.dev",
                    names.group));
  if (!out.empty()) return out;
  Registry registry(names.name);
  registry.AddKind(names.group + "/v1", names.kind);
  registry.AddController(names.name, [](controllers::ControllerContext) {
    return std::unique_ptr<controllers::Controller>();
  });
  for (std::string& problem : registry.Problems())
    if (!problem.starts_with("the program")) out.push_back(std::move(problem));  // the same name
  return out;
}

std::vector<SkeletonFile> MakeSkeleton(const SkeletonNames& names) {
  const std::pair<std::string_view, std::string_view> files[] = {
      {"CMakeLists.txt", kSkeletonCMake},
      {"main.cc", kSkeletonMain},
      {"website_controller.h", kSkeletonController},
      {"website_registry.h", kSkeletonRegistry},
      {"website_test.cc", kSkeletonTest},
      {"scenarios/shop.yaml", kSkeletonScenario},
      {"README.md", kSkeletonReadme},
      {".gitignore", kSkeletonIgnore},
      {".github/workflows/ci.yml", kSkeletonWorkflow}};
  const Words words = WordsOf(names);
  std::vector<SkeletonFile> out;
  for (const auto& [path, text] : files) {
    SkeletonFile& file = out.emplace_back();
    file.path = Renamed(path, words);
    file.text = Renamed(text, words);
  }
  return out;
}

}  // namespace ksim::cli
