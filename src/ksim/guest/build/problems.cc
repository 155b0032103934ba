#include "ksim/guest/build/problems.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

#include "ksim/base/os.h"
#include "ksim/guest/build/split.h"

namespace ksim::guest {
namespace {

// "imported by main -> a -> b", "" for the program's own package.
std::string ImportedBy(const GoPackages& packages, std::string_view path) {
  const std::vector<std::string> chain = packages.ChainTo(path);
  if (chain.size() < 2) return "";
  return fmt::format("it is imported by {}", fmt::join(chain, " -> "));
}

bool NeedsC(const GoPackage& package) {
  for (const std::string& name : package.ignored) {
    const absl::StatusOr<std::string> text = os::ReadFile(package.directory + "/" + name);
    if (text.ok() &&
        (text->find("\nimport \"C\"\n") != text->npos || text->find("\n\t\"C\"\n") != text->npos))
      return true;
  }
  return false;
}

bool IsInProgram(const GoPackages& packages, const GoPackage& package) {
  const GoPackage* main = packages.Find(packages.main);
  return main != nullptr && main->module == package.module;
}

// The number at the front of `text`, which it and a colon behind it are taken from.
std::optional<int> TakeNumber(std::string_view* text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  const std::size_t size = static_cast<std::size_t>(end - text->data());
  if (error != std::errc() || size >= text->size() || (*text)[size] != ':') return std::nullopt;
  text->remove_prefix(size + 1);
  return number;
}

// FILE.go:LINE:COLUMN: MESSAGE, or without a column.
std::optional<Diagnostic> ReadPlace(std::string_view line) {
  constexpr std::string_view kEnd = ".go:";
  const std::size_t end = line.find(kEnd);
  if (end == line.npos) return std::nullopt;
  Diagnostic d;
  d.file = line.substr(0, end + kEnd.size() - 1);
  std::string_view rest = line.substr(end + kEnd.size());
  const std::optional<int> number = TakeNumber(&rest);
  if (!number) return std::nullopt;
  const int column = TakeNumber(&rest).value_or(1);
  d.span = {*number, column, *number, column + 1};
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  d.message = rest;
  return d;
}

std::string CompileHint(const GoPackages& packages, std::string_view path) {
  const GoPackage* package = packages.Find(path);
  if (package == nullptr) return "";
  if (IsInProgram(packages, *package))
    return "guests are compiled with GOOS=wasip1; if `go build` succeeds without it, this wants a "
           "file for wasip1 (//go:build wasip1)";
  const std::string chain = ImportedBy(packages, path);
  return fmt::format("{} has nothing for wasip1 here, and ksim has no stand-in for it{}{}", path,
                     chain.empty() ? "" : "; ", chain);
}

// A file that go names from where it runs.
std::string FromHere(std::string_view file, const std::string& directory) {
  if (file.starts_with("./")) file.remove_prefix(2);
  if (file.starts_with('/') || directory.empty() || directory == ".") return std::string(file);
  return fmt::format("{}{}{}", directory, directory.ends_with('/') ? "" : "/", file);
}

std::string SourceLine(const std::string& file, int line) {
  const absl::StatusOr<std::string> text = os::ReadFile(file);
  if (!text.ok()) return "";
  const std::vector<std::string> lines = Split(*text, '\n');
  return static_cast<std::size_t>(line) <= lines.size() ? lines[static_cast<std::size_t>(line) - 1]
                                                        : "";
}

}  // namespace

Diagnostic Problem(std::string file, std::string message, std::string hint) {
  Diagnostic d;
  d.file = std::move(file);
  d.message = std::move(message);
  d.hint = std::move(hint);
  return d;
}

std::vector<Diagnostic> PackageProblems(const GoPackages& packages) {
  std::vector<Diagnostic> problems;
  for (const auto& [path, package] : packages.by_path) {
    if (package.error.empty()) continue;
    Diagnostic d;
    d.file = path;
    d.hint = ImportedBy(packages, path);
    if (package.error.find("build constraints exclude all Go files") == std::string::npos) {
      d.message = package.error;
    } else if (NeedsC(package)) {
      d.message = "it needs cgo, and a guest has no C";
    } else {
      d.message =
          fmt::format("none of its files is for wasip1 ({})", fmt::join(package.ignored, ", "));
    }
    problems.push_back(std::move(d));
  }
  return problems;
}

std::vector<Diagnostic> CompileProblems(const std::vector<std::string>& lines,
                                        const GoPackages& packages, const std::string& directory) {
  std::vector<Diagnostic> problems;
  std::string package;
  bool told = false;  // the package's hint, once
  for (std::string_view line : lines) {
    if (line.starts_with("# ")) {
      package = line.substr(2, line.find(' ', 2) - 2);
      told = false;
      continue;
    }
    if (line.empty() || line == "\ttoo many errors" || line.ends_with(": too many errors"))
      continue;
    std::optional<Diagnostic> d = ReadPlace(line);
    if (d) {
      if (!told) d->hint = CompileHint(packages, package);
      told = true;
      d->file = FromHere(d->file, directory);
      d->source_line = SourceLine(d->file, d->span.line);
    } else {
      d = Problem(package.empty() ? "go" : package, std::string(line));
    }
    problems.push_back(std::move(*d));
  }
  return problems;
}

}  // namespace ksim::guest
