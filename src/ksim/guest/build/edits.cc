#include "ksim/guest/build/edits.h"

#include <fmt/format.h>

#include <utility>

namespace ksim::guest {
namespace {

class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  // The next line, without its newline; false at the end.
  bool Next(std::string_view* line) {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    *line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return true;
  }

  // The lines up to the line `last`, joined; false if that does not come.
  bool Until(std::string_view last, std::string* text) {
    bool first = true;
    for (std::string_view line; Next(&line); first = false) {
      if (line == last) return true;
      if (!first) *text += '\n';
      *text += line;
    }
    return false;
  }

  int number() const { return number_; }

 private:
  std::string_view rest_;
  int number_ = 0;
};

absl::Status AtLine(int line, std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("line {}: {}", line, what));
}

int Count(std::string_view text, std::string_view part) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++count;
  return count;
}

std::string_view FirstLine(std::string_view text) {
  while (text.starts_with('\n') || text.starts_with('\t')) text.remove_prefix(1);
  return text.substr(0, text.find('\n'));
}

}  // namespace

absl::StatusOr<std::vector<FileEdits>> ReadEdits(std::string_view text) {
  constexpr std::string_view kFile = "file ";
  std::vector<FileEdits> files;
  LineReader reader(text);
  for (std::string_view line; reader.Next(&line);) {
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with(kFile)) {
      files.push_back({std::string(line.substr(kFile.size())), {}});
      continue;
    }
    Edit edit;
    edit.line = reader.number();
    if (line != "replace") return AtLine(edit.line, fmt::format("\"{}\" is no command", line));
    if (files.empty()) return AtLine(edit.line, "replace without a file");
    if (!reader.Until("with", &edit.text)) return AtLine(edit.line, "replace without with");
    if (!reader.Until("end", &edit.replacement)) return AtLine(edit.line, "replace without end");
    if (edit.text.empty()) return AtLine(edit.line, "nothing is replaced");
    files.back().edits.push_back(std::move(edit));
  }
  return files;
}

absl::StatusOr<std::string> ApplyEdits(const FileEdits& file, std::string_view contents) {
  std::string out(contents);
  for (const Edit& edit : file.edits) {
    const int count = Count(out, edit.text);
    if (count != 1)
      return absl::FailedPreconditionError(
          fmt::format("{} holds the {} lines that begin with \"{}\" {}, not once", file.path,
                      1 + Count(edit.text, "\n"), FirstLine(edit.text),
                      count == 0 ? "nowhere" : fmt::format("{} times", count)));
    out.replace(out.find(edit.text), edit.text.size(), edit.replacement);
  }
  return out;
}

}  // namespace ksim::guest
