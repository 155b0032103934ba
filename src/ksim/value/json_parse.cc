// Implements the parser of json.h.
#include <optional>
#include <string>
#include <vector>

#include "ksim/value/json.h"
#include "ksim/value/node.h"
#include "ksim/value/number.h"
#include "ksim/value/text.h"

namespace ksim::value {
namespace {

constexpr int kMaxJsonDepth = 1000;

// Recursive descent. Members and items gather on two shared stacks; a closed object or array takes
// its part off the top.
class JsonParser {
 public:
  explicit JsonParser(std::string_view text, std::vector<std::string>* duplicates = nullptr)
      : text_(text), duplicates_(duplicates) {}

  absl::StatusOr<Value> Parse() {
    Value v;
    SkipSpace();
    if (!ParseValue(&v)) return Failure();
    SkipSpace();
    if (at_ < text_.size()) {
      Fail("unexpected text after the document");
      return Failure();
    }
    return v;
  }

 private:
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool AtEnd() const { return at_ >= text_.size(); }

  void SkipSpace() {
    while (!AtEnd()) {
      const char c = text_[at_];
      if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return;
      ++at_;
    }
  }

  bool Fail(std::string what) {
    error_ = std::move(what);
    return false;
  }
  bool FailAt(std::size_t offset, std::string what) {
    at_ = offset;
    return Fail(std::move(what));
  }
  absl::Status Failure() const {
    const LineColumn place = PlaceOf(text_, at_);
    return InvalidText("line " + std::to_string(place.line) + " column " +
                       std::to_string(place.column) + ": " + error_);
  }
  bool Unexpected(std::string_view wanted) {
    if (AtEnd()) return Fail("unexpected end, expected " + std::string(wanted));
    return Fail("expected " + std::string(wanted));
  }

  bool ParseValue(Value* out) {
    switch (Peek()) {
      case '{':
        return ParseObject(out);
      case '[':
        return ParseArray(out);
      case '"': {
        std::string_view s;
        if (!ParseString(&s)) return false;
        *out = MakeString(s);
        return true;
      }
      case 't':
        return ParseWord("true", Value::Bool(true), out);
      case 'f':
        return ParseWord("false", Value::Bool(false), out);
      case 'n':
        return ParseWord("null", Value(), out);
      default:
        return ParseNumber(out);
    }
  }

  bool ParseWord(std::string_view word, Value v, Value* out) {
    if (!text_.substr(at_).starts_with(word)) return Unexpected("a value");
    at_ += word.size();
    *out = std::move(v);
    return true;
  }

  bool SkipDigits() {
    if (!IsDigit(Peek())) return Unexpected("a digit");
    while (IsDigit(Peek())) ++at_;
    return true;
  }

  bool ParseNumber(Value* out) {
    const std::size_t start = at_;
    if (Peek() == '-') ++at_;
    if (!IsDigit(Peek())) return Unexpected(at_ == start ? "a value" : "a digit");
    if (Peek() == '0' && at_ + 1 < text_.size() && IsDigit(text_[at_ + 1])) {
      return Fail("a number must not start with 0");
    }
    if (!SkipDigits()) return false;
    if (Peek() == '.') {
      ++at_;
      if (!SkipDigits()) return false;
    }
    if (Peek() == 'e' || Peek() == 'E') {
      ++at_;
      if (Peek() == '+' || Peek() == '-') ++at_;
      if (!SkipDigits()) return false;
    }
    auto number = NumberValue(text_.substr(start, at_ - start));
    if (!number) return FailAt(start, "number out of range");
    *out = *std::move(number);
    return true;
  }

  // *out is a part of the text, or of scratch_ if there were escapes; valid until the next string.
  bool ParseString(std::string_view* out) {
    const std::size_t start = at_++;
    std::size_t from = at_;
    bool escaped = false;
    while (!AtEnd()) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') {
        *out = text_.substr(from, at_ - from);
        if (escaped) *out = scratch_.append(*out);
        ++at_;
        return true;
      }
      if (c < 0x20) return Fail("control character in a string");
      if (c == '\\') {
        if (!escaped) scratch_.clear();
        escaped = true;
        scratch_.append(text_, from, at_ - from);
        if (!ParseEscape()) return false;
        from = at_;
      } else if (c < 0x80) {
        ++at_;
      } else {
        const std::size_t n = Utf8Length(text_.substr(at_));
        if (n == 0) return Fail("invalid UTF-8");
        at_ += n;
      }
    }
    return FailAt(start, "string is not closed");
  }

  bool ParseEscape() {
    static constexpr std::string_view kLetters = "\"\\/bfnrt";
    static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t start = at_++;
    if (Peek() == 'u') return ParseUnicodeEscape(start);
    const std::size_t i = AtEnd() ? std::string_view::npos : kLetters.find(Peek());
    if (i == std::string_view::npos) return FailAt(start, "invalid escape");
    scratch_ += kMeanings[i];
    ++at_;
    return true;
  }

  // `at_` is on the u.
  bool ParseUnicodeEscape(std::size_t start) {
    char32_t c = 0;
    if (!ParseHex4(&c)) return FailAt(start, "invalid \\u escape");
    if (c >= 0xD800 && c <= 0xDBFF && text_.substr(at_).starts_with("\\u")) {
      char32_t low = 0;
      ++at_;
      if (!ParseHex4(&low)) return FailAt(start, "invalid \\u escape");
      if (low < 0xDC00 || low > 0xDFFF) return FailAt(start, "lone surrogate in a \\u escape");
      c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    } else if (c >= 0xD800 && c <= 0xDFFF) {
      return FailAt(start, "lone surrogate in a \\u escape");
    }
    AppendUtf8(c, &scratch_);
    return true;
  }

  bool ParseHex4(char32_t* out) {
    ++at_;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = Peek();
      const char lower = static_cast<char>(c | 0x20);
      if (IsDigit(c)) {
        *out = *out * 16 + static_cast<char32_t>(c - '0');
      } else if (lower >= 'a' && lower <= 'f') {
        *out = *out * 16 + static_cast<char32_t>(lower - 'a' + 10);
      } else {
        return false;
      }
    }
    return true;
  }

  bool Enter() {
    if (++depth_ > kMaxJsonDepth) return Fail("nested deeper than 1000");
    ++at_;
    SkipSpace();
    return true;
  }

  // After an item: ',' goes on, `close` ends.
  bool Continue(char close, bool* more) {
    SkipSpace();
    if (Peek() != ',' && Peek() != close) {
      return Unexpected(close == ']' ? "',' or ']'" : "',' or '}'");
    }
    *more = Peek() == ',';
    ++at_;
    if (*more) SkipSpace();
    return true;
  }

  bool ParseArray(Value* out) {
    if (!Enter()) return false;
    const std::size_t base = items_.size();
    bool more = Peek() != ']';
    if (!more) ++at_;
    while (more) {
      Value item;
      if (duplicates_ != nullptr) path_.push_back("[" + std::to_string(items_.size() - base) + "]");
      if (!ParseValue(&item)) return false;
      if (duplicates_ != nullptr) path_.pop_back();
      items_.push_back(std::move(item));
      if (!Continue(']', &more)) return false;
    }
    *out = MakeArray(std::span(items_).subspan(base));
    items_.resize(base);
    --depth_;
    return true;
  }

  bool ParseObject(Value* out) {
    if (!Enter()) return false;
    const std::size_t base = members_.size();
    const std::size_t names = name_offsets_.size();
    bool more = Peek() != '}';
    if (!more) ++at_;
    while (more) {
      if (!ParseMember(base) || !Continue('}', &more)) return false;
    }
    std::optional<Atom> duplicate;
    *out = MakeObject(std::span(members_).subspan(base), &duplicate);
    if (duplicate) return FailDuplicate(names, *duplicate);
    members_.resize(base);
    name_offsets_.resize(names);
    --depth_;
    return true;
  }

  bool FailDuplicate(std::size_t first, Atom name) {
    bool seen = false;
    for (std::size_t i = first; i < name_offsets_.size(); ++i) {
      at_ = name_offsets_[i];
      std::string_view text;
      if (!ParseString(&text) || text != name.text()) continue;
      if (seen) return FailAt(name_offsets_[i], "duplicate name \"" + std::string(text) + "\"");
      seen = true;
    }
    return Fail("duplicate name");
  }

  // False if the object, whose members begin at `base`, has none of that name yet.
  bool ReplaceMember(std::size_t base, Atom name, Value* v) {
    for (std::size_t i = base; i < members_.size(); ++i) {
      if (members_[i].name != name) continue;
      std::string path;
      for (const std::string& step : path_)
        path += (path.empty() || step.front() == '[' ? "" : ".") + step;
      duplicates_->push_back(std::move(path));
      members_[i].value = std::move(*v);
      return true;
    }
    return false;
  }

  bool ParseMember(std::size_t base) {
    if (Peek() != '"') return Unexpected("a name in quotes");
    name_offsets_.push_back(at_);
    std::string_view name;
    if (!ParseString(&name)) return false;
    const Atom atom(name);
    SkipSpace();
    if (Peek() != ':') return Unexpected("':'");
    ++at_;
    SkipSpace();
    Value v;
    if (duplicates_ == nullptr) {
      if (!ParseValue(&v)) return false;
    } else {
      path_.emplace_back(atom.text());
      if (!ParseValue(&v)) return false;
      const bool replaced = ReplaceMember(base, atom, &v);
      path_.pop_back();
      if (replaced) return true;
    }
    members_.emplace_back(atom, std::move(v));
    return true;
  }

  std::string_view text_;
  std::vector<std::string>* duplicates_;  // null: they are errors
  std::vector<std::string> path_;         // kept only for them
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<Value> items_;
  std::vector<Value::Member> members_;
  std::vector<std::size_t> name_offsets_;  // of the members still open
  std::string scratch_;
  std::string error_;
};

}  // namespace

absl::StatusOr<Value> ParseJson(std::string_view text) { return JsonParser(text).Parse(); }

absl::StatusOr<Value> ParseJsonAsGo(std::string_view text, std::vector<std::string>* duplicates) {
  return JsonParser(text, duplicates).Parse();
}

}  // namespace ksim::value
