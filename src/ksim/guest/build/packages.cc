#include "ksim/guest/build/packages.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "ksim/guest/build/split.h"

namespace ksim::guest {
namespace {

// One line a package, its fields separated by tabs.
constexpr std::string_view kFormat =
    "{{.ImportPath}}\t{{.Name}}\t{{.Dir}}\t{{.Standard}}\t"
    "{{with .Module}}{{.Path}}\t"
    "{{if and .Replace .Replace.Version}}{{.Replace.Version}}{{else}}{{.Version}}{{end}}\t{{.Dir}}"
    "{{else}}\t\t{{end}}\t"
    "{{join .GoFiles \",\"}}\t{{join .IgnoredGoFiles \",\"}}\t{{join .Imports \",\"}}\t"
    "{{with .Error}}{{printf \"%q\" .Err}}{{end}}";
constexpr std::size_t kFieldCount = 11;

std::vector<std::string> Names(std::string_view list) { return SplitWords(list, ','); }

// The text of Go's %q, as far as errors of packages need it.
std::string Unquote(std::string_view text) {
  std::string out;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == '\\' && i + 2 < text.size()) {
      ++i;
      out += text[i] == 'n' ? '\n' : text[i] == 't' ? '\t' : text[i];
    } else {
      out += text[i];
    }
  }
  return out;
}

absl::StatusOr<std::string> List(const GoTool& go, std::vector<std::string> words,
                                 const std::vector<std::string>& flags, std::string_view format,
                                 const std::string& pattern) {
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), {"-f", std::string(format), "--", pattern});
  absl::StatusOr<GoOutput> output = go.Run(words);
  if (!output.ok()) return output.status();
  if (output->code != 0)
    return absl::InvalidArgumentError(fmt::format("{}", fmt::join(output->errors, "\n")));
  return std::move(output->out);
}

}  // namespace

bool GoPackage::Ignores(std::string_view file) const {
  return std::find(ignored.begin(), ignored.end(), file) != ignored.end();
}

const GoPackage* GoPackages::Find(std::string_view path) const {
  const auto found = by_path.find(path);
  return found == by_path.end() ? nullptr : &found->second;
}

std::vector<std::string> GoPackages::ChainTo(std::string_view path) const {
  std::map<std::string, std::string, std::less<>> importer{{main, ""}};
  std::deque<std::string> next{main};
  while (!next.empty() && !importer.contains(path)) {
    const GoPackage* package = Find(next.front());
    for (const std::string& import : package == nullptr ? Names("") : package->imports)
      if (importer.emplace(import, next.front()).second) next.push_back(import);
    next.pop_front();
  }
  std::vector<std::string> chain;
  for (std::string at(path); !at.empty();) {
    chain.push_back(at);
    const auto by = importer.find(at);
    at = by == importer.end() ? "" : by->second;
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

absl::StatusOr<GoPackages> ListPackages(const GoTool& go, const std::vector<std::string>& flags,
                                        const std::string& package) {
  const absl::StatusOr<std::string> out =
      List(go, {"list", "-deps", "-e"}, flags, kFormat, package);
  if (!out.ok()) return out.status();
  GoPackages packages;
  for (const std::string& line : SplitWords(*out, '\n')) {
    const std::vector<std::string> fields = Split(line, '\t');
    if (fields.size() != kFieldCount) continue;  // a tab in a file's name
    GoPackage p{.path = fields[0],
                .name = fields[1],
                .directory = fields[2],
                .standard = fields[3] == "true",
                .module = fields[4],
                .version = fields[5],
                .module_directory = fields[6],
                .files = Names(fields[7]),
                .ignored = Names(fields[8]),
                .imports = Names(fields[9]),
                .error = Unquote(fields[10])};
    packages.main = p.path;  // dependencies come first
    packages.by_path[p.path] = std::move(p);
  }
  if (packages.by_path.empty())
    return absl::InvalidArgumentError("go list names no package for " + package);
  return packages;
}

absl::StatusOr<std::vector<std::string>> ListPrograms(const GoTool& go,
                                                      const std::vector<std::string>& flags,
                                                      const std::string& pattern) {
  const absl::StatusOr<std::string> out =
      List(go, {"list", "-e"}, flags, "{{if eq .Name \"main\"}}{{.ImportPath}}{{end}}", pattern);
  if (!out.ok()) return out.status();
  return SplitWords(*out, '\n');
}

}  // namespace ksim::guest
