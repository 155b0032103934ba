#include "ksim/store/script_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/store/script_check.h"
#include "ksim/value/json.h"
#include "ksim/value/json_place.h"

namespace ksim::store {
namespace {

using value::Path;
using value::Value;

constexpr std::size_t kShownColumns = 200;  // of a bad line

int ColumnOf(std::string_view line, std::size_t offset) {
  const std::string_view before = line.substr(0, offset);
  return 1 + static_cast<int>(std::count_if(before.begin(), before.end(), [](char c) {
           return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
         }));
}

// Which labels of watches are open: that a label is known can be told without a store.
class Labels {
 public:
  // A problem with the label of this operation, or "".
  std::string Check(const Value& op) {
    const std::string_view name = op.Get("op").AsString();
    const std::string label(op.Get("w").AsString());
    if (name == "watch_open") {
      if (!used_.insert(label).second) return fmt::format("watch \"{}\" was opened before", label);
      open_.insert(label);
      return "";
    }
    if (!name.starts_with("watch_") || open_.contains(label)) {
      if (name == "watch_close") open_.erase(label);
      return "";
    }
    if (used_.contains(label)) return fmt::format("watch \"{}\" is closed", label);
    return fmt::format("no watch \"{}\" was opened", label);
  }

 private:
  std::set<std::string> used_, open_;
};

class Reader {
 public:
  Reader(std::string_view name, ScriptFile* file) : name_(name), file_(file) {}

  void Line(std::string_view text) {
    ++line_;
    if (text.find_first_not_of(" \t\r") == std::string_view::npos) return;
    text_ = text;
    absl::StatusOr<Value> op = value::ParseJson(text);
    if (!op.ok()) return NoJson(Message(op.status()));
    const std::string label_problem = labels_.Check(*op);
    if (std::optional<ScriptProblem> p = CheckScriptOp(*op))
      return Problem(value::FindInJson(text, p->path, p->at_name), std::move(p->message),
                     std::move(p->hint));
    if (!label_problem.empty())
      return Problem(value::FindInJson(text, Path{"w"}), label_problem, "");
    file_->ops.push_back(*std::move(op));
  }

 private:
  // "line 1 column C: what" of ParseJson.
  void NoJson(std::string_view message) {
    Diagnostic d = Begin();
    const std::size_t colon = std::min(message.find(": "), message.size());
    const std::size_t number = std::min(message.find("column "), colon);
    std::from_chars(message.data() + std::min(number + 7, colon), message.data() + colon,
                    d.span.column);
    d.span.column = std::max(d.span.column, 1);
    d.span.end_column = d.span.column;
    d.message = fmt::format("no JSON: {}", message.substr(std::min(colon + 2, message.size())));
    Add(std::move(d));
  }

  void Problem(const value::JsonPlace& place, std::string message, std::string hint) {
    Diagnostic d = Begin();
    d.span.column = ColumnOf(text_, place.begin);
    d.span.end_column = ColumnOf(text_, place.end);
    d.message = std::move(message);
    d.hint = std::move(hint);
    Add(std::move(d));
  }

  Diagnostic Begin() const {
    Diagnostic d;
    d.file = std::string(name_);
    d.span.line = d.span.end_line = line_;
    return d;
  }

  // A line may hold a megabyte: it is shown if it can be looked at.
  void Add(Diagnostic d) {
    if (text_.ends_with('\r')) text_.remove_suffix(1);
    if (text_.size() <= kShownColumns) d.source_line = std::string(text_);
    file_->errors.push_back(std::move(d));
  }

  std::string_view name_, text_;
  ScriptFile* file_;
  Labels labels_;
  int line_ = 0;
};

}  // namespace

ScriptFile ReadScript(std::string_view text, std::string_view name) {
  ScriptFile file;
  Reader reader(name, &file);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.Line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return file;
}

}  // namespace ksim::store
