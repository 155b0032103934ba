// Implements Path and PathStep of value.h, and selection.h.
#include <charconv>
#include <string>
#include <utility>

#include "ksim/value/node.h"
#include "ksim/value/selection.h"
#include "ksim/value/text.h"

namespace ksim::value {
namespace {

// Reads kubectl's jsonpath without braces.
class PathReader {
 public:
  PathReader(std::string_view text, bool selects) : text_(text), selects_(selects) {}

  absl::StatusOr<Path> Read() {
    const bool current = selects_ && (text_.starts_with("@.") || text_.starts_with("@["));
    if (Peek() == '$' || current) ++at_;
    if (Peek() == '.') ++at_;
    if (text_.empty()) return Error("the path is empty");
    if (AtEnd()) return Path();
    if (Peek() != '[') {
      if (!ReadName()) return Failure();
    }
    while (!AtEnd()) {
      const bool ok = Peek() == '[' ? ReadBracket() : ReadDot();
      if (!ok) return Failure();
    }
    return Path(std::move(steps_));
  }

 private:
  bool AtEnd() const { return at_ >= text_.size(); }
  char Peek() const { return AtEnd() ? '\0' : text_[at_]; }

  absl::Status Error(std::string what) const {
    return InvalidText("column " + std::to_string(Column(text_, at_)) + ": " + what);
  }
  absl::Status Failure() const { return Error(error_); }
  bool Fail(std::string what) {
    error_ = std::move(what);
    return false;
  }

  bool ReadDot() {
    if (Peek() != '.') return Fail("expected '.' or '['");
    ++at_;
    return ReadName();
  }

  bool ReadName() {
    std::string name;
    while (!AtEnd() && Peek() != '.' && Peek() != '[') {
      if (Peek() == '\\' && at_ + 1 < text_.size()) ++at_;
      name += text_[at_++];
    }
    if (name.empty()) return Fail("expected a field name");
    if (name == "*") return Fail("wildcards are not supported");
    steps_.emplace_back(std::string_view(name));
    return true;
  }

  bool ReadBracket() {
    ++at_;
    SkipSpace();
    if (Peek() == '?') return ReadFilter();
    if (Peek() == '\'' || Peek() == '"') return ReadQuotedField();
    if (selects_ && (Peek() == '*' || Peek() == '-')) return ReadSelecting();
    if (Peek() == '*') return Fail("wildcards are not supported");
    if (Peek() >= '0' && Peek() <= '9') {
      const std::size_t start = at_;
      if (ReadIndex()) return true;
      at_ = start;
    }
    return ReadMatch() && Expect("]");
  }

  bool ReadIndex() {
    std::uint32_t index = 0;
    const char* end = text_.data() + text_.size();
    const auto [stop, ec] = std::from_chars(text_.data() + at_, end, index);
    if (ec != std::errc()) return Fail("index too large");
    at_ = static_cast<std::size_t>(stop - text_.data());
    if (!Expect("]")) return false;
    steps_.push_back(PathStep::Index(index));
    return true;
  }

  // [*], [-1]
  bool ReadSelecting() {
    const bool each = text_[at_++] == '*';
    if (!each && (Peek() < '1' || Peek() > '9')) return Fail("expected an index from the end");
    if (each) {
      steps_.push_back(PathStep::Index(kEachItem));
      return Expect("]");
    }
    if (!ReadIndex()) return false;
    std::uint32_t& index = steps_.back().index;
    if (index >= kEachItem) return Fail("index too large");
    index = ~index + 1;
    return true;
  }

  bool ReadQuotedField() {
    std::string name;
    if (!ReadQuoted(&name)) return false;
    if (Peek() == '=') return ReadMatchValue(name) && Expect("]");
    steps_.emplace_back(std::string_view(name));
    return Expect("]");
  }

  // field=value, as in conditions[type=Ready]
  bool ReadMatch() {
    std::string field;
    while (!AtEnd() && Peek() != '=' && Peek() != ']') field += text_[at_++];
    if (AtEnd()) return Fail("expected ']'");
    if (Peek() == ']' || field.empty())
      return Fail("expected an index, a quoted name or name=value");
    return ReadMatchValue(field);
  }

  bool ReadMatchValue(std::string_view field) {
    ++at_;
    if (Peek() == '=') ++at_;
    SkipSpace();
    std::string equals;
    if (Peek() == '\'' || Peek() == '"') {
      if (!ReadQuoted(&equals)) return false;
    } else {
      while (!AtEnd() && Peek() != ']' && Peek() != ')') equals += text_[at_++];
    }
    steps_.push_back(PathStep::Match(field, equals));
    return true;
  }

  // ?(@.type=="Ready")
  bool ReadFilter() {
    ++at_;
    if (!Expect("(") || !Expect("@") || !Expect(".")) return false;
    std::string field;
    while (!AtEnd() && Peek() != '=' && Peek() != ' ' && Peek() != ')') field += text_[at_++];
    SkipSpace();
    if (Peek() != '=' || field.empty())
      return Fail("only filters of the form @.name==value are supported");
    return ReadMatchValue(field) && Expect(")") && Expect("]");
  }

  bool ReadQuoted(std::string* out) {
    const char quote = text_[at_++];
    while (!AtEnd() && Peek() != quote) {
      if (Peek() == '\\' && at_ + 1 < text_.size()) ++at_;
      *out += text_[at_++];
    }
    if (AtEnd()) return Fail("quote is not closed");
    ++at_;
    return true;
  }

  bool Expect(std::string_view token) {
    SkipSpace();
    if (!text_.substr(at_).starts_with(token)) return Fail("expected '" + std::string(token) + "'");
    at_ += token.size();
    return true;
  }

  void SkipSpace() {
    while (Peek() == ' ') ++at_;
  }

  std::string_view text_;
  bool selects_;
  std::size_t at_ = 0;
  std::vector<PathStep> steps_;
  std::string error_;
};

std::string IndexText(std::uint32_t index) {
  if (index == kEachItem) return "*";
  return index < kEachItem ? std::to_string(index) : "-" + std::to_string(~index + 1);
}

bool IsPlainName(std::string_view name) {
  if (name.empty() || name == "*" || name.front() == '$') return false;
  return name.find_first_of(".[]'\"\\= ") == std::string_view::npos;
}

void AppendQuoted(std::string_view text, std::string* out) {
  *out += '\'';
  for (const char c : text) {
    if (c == '\'' || c == '\\') *out += '\\';
    *out += c;
  }
  *out += '\'';
}

void AppendField(std::string_view name, std::string* out) {
  if (!IsPlainName(name)) {
    *out += '[';
    AppendQuoted(name, out);
    *out += ']';
    return;
  }
  if (!out->empty()) *out += '.';
  *out += name;
}

void AppendMatch(const PathStep& step, std::string* out) {
  *out += '[';
  const auto append = [out](std::string_view text) {
    const bool digit = !text.empty() && text.front() >= '0' && text.front() <= '9';
    const bool plain = text.find_first_of("[]()'\"\\=? ") == std::string_view::npos;
    return plain && !digit && !text.empty() && text != "*" ? void(*out += text)
                                                           : AppendQuoted(text, out);
  };
  append(step.name.text());
  *out += '=';
  append(step.equals);
  *out += ']';
}

}  // namespace

PathStep PathStep::Index(std::uint32_t i) {
  PathStep step{Atom()};
  step.kind = Kind::kIndex;
  step.index = i;
  return step;
}

PathStep PathStep::Match(std::string_view field, std::string_view equals) {
  PathStep step{Atom(field)};
  step.kind = Kind::kMatch;
  step.equals = equals;
  return step;
}

absl::StatusOr<Path> Path::Parse(std::string_view text) { return PathReader(text, false).Read(); }

absl::StatusOr<Path> ParseSelection(std::string_view text) { return PathReader(text, true).Read(); }

std::string Path::ToString() const {
  std::string out;
  for (const PathStep& step : steps_) {
    switch (step.kind) {
      case PathStep::Kind::kField:
        AppendField(step.name.text(), &out);
        break;
      case PathStep::Kind::kIndex:
        out += '[' + IndexText(step.index) + ']';
        break;
      case PathStep::Kind::kMatch:
        AppendMatch(step, &out);
        break;
    }
  }
  return out;
}

Path Path::Child(PathStep step) const {
  std::vector<PathStep> steps;
  steps.reserve(steps_.size() + 1);
  steps = steps_;
  steps.push_back(std::move(step));
  return Path(std::move(steps));
}

bool MatchesStep(const Value& element, const PathStep& step) {
  const Value& field = element.Get(step.name);
  if (field.is_string()) return field.AsString() == step.equals;
  if (field.is_int()) return std::to_string(field.AsInt()) == step.equals;
  if (field.is_bool()) return step.equals == (field.AsBool() ? "true" : "false");
  return false;
}

const Value* FindStep(const Value& v, const PathStep& step) {
  if (step.kind == PathStep::Kind::kField) return v.Find(step.name);
  const auto items = ItemsOf(v);
  if (step.kind == PathStep::Kind::kIndex) {
    const std::size_t at =
        step.index == kEachItem ? items.size() : ItemAt(step.index, items.size());
    return at < items.size() ? &items[at] : nullptr;
  }
  for (const Value& item : items) {
    if (MatchesStep(item, step)) return &item;
  }
  return nullptr;
}

std::vector<const Value*> Select(const Value& tree, const Path& path) {
  std::vector<const Value*> found{&tree};
  for (const PathStep& step : path.steps()) {
    const bool each = step.kind == PathStep::Kind::kIndex && step.index == kEachItem;
    std::vector<const Value*> next;
    for (const Value* v : found) {
      if (each) {
        for (const Value& item : ItemsOf(*v)) next.push_back(&item);
      } else if (const Value* one = FindStep(*v, step)) {
        next.push_back(one);
      }
    }
    found = std::move(next);
  }
  return found;
}

}  // namespace ksim::value
