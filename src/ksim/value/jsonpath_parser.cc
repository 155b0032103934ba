#include "ksim/value/jsonpath_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/value/text.h"

namespace ksim::value {
namespace {

// All characters beyond ASCII count as letters.
bool IsAlphaNumeric(char c) {
  return c == '_' || IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool IsTerminator(char c) {
  return std::string_view(" \t\r\n.,[]$@{}").find(c) != std::string::npos;
}

int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// strconv.UnquoteChar over a whole text: `quote` may only be escaped by itself.
class Unquoter {
 public:
  Unquoter(std::string_view text, char quote) : text_(text), quote_(quote) {}

  // nullopt: invalid syntax.
  std::optional<std::string> Unquote() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == quote_) return std::nullopt;
      if (c != '\\') {
        out_ += c;
      } else if (!Escape()) {
        return std::nullopt;
      }
    }
    return std::move(out_);
  }

 private:
  bool Escape() {
    if (at_ == text_.size()) return false;
    const char c = text_[at_++];
    constexpr std::string_view kNames = "abfnrtv\\";
    constexpr std::string_view kChars = "\a\b\f\n\r\t\v\\";
    if (const std::size_t i = kNames.find(c); i != std::string_view::npos) {
      out_ += kChars[i];
      return true;
    }
    if (c == 'x' || c == 'u' || c == 'U') return Hex(c == 'x' ? 2 : c == 'u' ? 4 : 8, c == 'x');
    if (c >= '0' && c <= '7') return Octal(c);
    if (c != quote_) return false;
    out_ += c;
    return true;
  }

  bool Hex(int digits, bool byte) {
    std::uint32_t value = 0;
    for (int i = 0; i < digits; ++i) {
      const int digit = at_ < text_.size() ? HexValue(text_[at_++]) : -1;
      if (digit < 0) return false;
      value = value << 4 | static_cast<std::uint32_t>(digit);
    }
    if (byte) {
      out_ += static_cast<char>(value);
      return true;
    }
    if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return false;
    AppendUtf8(value, &out_);
    return true;
  }

  bool Octal(char first) {
    int value = first - '0';
    for (int i = 0; i < 2; ++i) {
      const char c = at_ < text_.size() ? text_[at_++] : '8';
      if (c < '0' || c > '7') return false;
      value = value * 8 + (c - '0');
    }
    if (value > 255) return false;
    out_ += static_cast<char>(value);
    return true;
  }

  std::string_view text_;
  char quote_;
  std::size_t at_ = 0;
  std::string out_;
};

class TemplateParser {
 public:
  explicit TemplateParser(std::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<JsonPathNode>> Parse() {
    std::vector<JsonPathNode> root;
    for (;;) {
      const std::size_t brace = std::min(text_.find('{', at_), text_.size());
      if (brace > at_)
        root.emplace_back(JsonPathNode::Kind::kText, std::string(text_.substr(at_, brace - at_)));
      if (brace == text_.size()) return root;
      at_ = brace + 1;
      JsonPathNode list(JsonPathNode::Kind::kList);
      RETURN_IF_ERROR(ParseAction(&list.nodes));
      root.push_back(std::move(list));
    }
  }

 private:
  using Nodes = std::vector<JsonPathNode>;

  bool AtEnd() const { return at_ >= text_.size(); }
  char Peek() const { return AtEnd() ? '\0' : text_[at_]; }
  bool Starts(std::string_view token) const { return text_.substr(at_).starts_with(token); }

  // Up to the closing brace, which is taken.
  absl::Status ParseAction(Nodes* out) {
    for (;;) {
      if (AtEnd() || Peek() == '\n' || Peek() == '\r') return InvalidText("unclosed action");
      const char c = Peek();
      if (c == '}') {
        ++at_;
        return absl::OkStatus();
      }
      if (c == ' ' || c == '@' || c == '$') {  // the current object is what there is anyway
        ++at_;
        continue;
      }
      RETURN_IF_ERROR(ParseNode(c, out));
    }
  }

  absl::Status ParseNode(char c, Nodes* out) {
    if (Starts("[?(")) return ParseFilter(out);
    if (Starts("..")) return ParseRecursive(out);
    if (c == '[') return ParseArray(out);
    if (c == '"' || c == '\'') return ParseQuote(c, out);
    if (c == '.') {
      ++at_;
      ParseField(out);
      return absl::OkStatus();
    }
    if (c == '+' || c == '-' || IsDigit(c)) return ParseNumber(out);
    if (IsAlphaNumeric(c)) {
      ParseIdentifier(out);
      return absl::OkStatus();
    }
    const bool printable = c > ' ' && c < 0x7f;
    return InvalidText(fmt::format("unrecognized character in action: U+{:04X}{}",
                                   static_cast<unsigned>(c),
                                   printable ? fmt::format(" '{}'", c) : ""));
  }

  void ParseIdentifier(Nodes* out) {
    const std::size_t begin = at_;
    while (!AtEnd() && !IsTerminator(Peek())) ++at_;
    std::string word(text_.substr(begin, at_ - begin));
    const bool truth = word == "true" || word == "false";
    JsonPathNode& node = out->emplace_back(
        truth ? JsonPathNode::Kind::kBool : JsonPathNode::Kind::kIdentifier, std::move(word));
    node.truth = node.text == "true";
  }

  absl::Status ParseRecursive(Nodes* out) {
    if (!out->empty() && out->back().kind == JsonPathNode::Kind::kRecursive)
      return InvalidText("invalid multiple recursive descent");
    at_ += 2;
    out->emplace_back(JsonPathNode::Kind::kRecursive);
    if (IsAlphaNumeric(Peek())) ParseField(out);
    return absl::OkStatus();
  }

  absl::Status ParseNumber(Nodes* out) {
    const std::size_t begin = at_;
    if (Peek() == '+' || Peek() == '-') ++at_;
    while (Peek() == '.' || IsDigit(Peek())) ++at_;
    const std::string_view text = text_.substr(begin, at_ - begin);
    if (const std::optional<std::int64_t> i = ParseGoInt(text)) {
      out->emplace_back(JsonPathNode::Kind::kInt).number = *i;
      return absl::OkStatus();
    }
    std::string_view digits = text;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    double value = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    if (stop != end || error != std::errc())
      return InvalidText(fmt::format("cannot parse number {}", text));
    out->emplace_back(JsonPathNode::Kind::kFloat).fraction = value;
    return absl::OkStatus();
  }

  // [0], [a:b:c], ['name'], [*], or several of them with commas.
  absl::Status ParseArray(Nodes* out) {
    const std::size_t end = text_.find_first_of("]\n", at_);
    if (end == std::string_view::npos || text_[end] == '\n')
      return InvalidText("unterminated array");
    std::string_view text = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    if (text == "*") text = ":";
    if (text.find(',') != std::string_view::npos) return ParseUnion(text, out);
    const bool quoted = text.size() >= 2 && text.front() == '\'' && text.back() == '\'' &&
                        text.find('\'', 1) == text.size() - 1;
    if (quoted) return ParseInner(fmt::format(".{}", text.substr(1, text.size() - 2)), out);
    return ParseSlice(text, out);
  }

  absl::Status ParseUnion(std::string_view text, Nodes* out) {
    JsonPathNode node(JsonPathNode::Kind::kUnion);
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t comma = std::min(text.find(',', begin), text.size());
      std::string_view part = text.substr(begin, comma - begin);
      while (part.starts_with(' ')) part.remove_prefix(1);
      while (part.ends_with(' ')) part.remove_suffix(1);
      RETURN_IF_ERROR(ParseInner(fmt::format("[{}]", part),
                                 &node.nodes.emplace_back(JsonPathNode::Kind::kList).nodes));
      begin = comma + 1;
    }
    out->push_back(std::move(node));
    return absl::OkStatus();
  }

  // The nodes of a text as if it stood between braces.
  static absl::Status ParseInner(std::string_view text, Nodes* out) {
    const std::string braced = fmt::format("{{{}}}", text);
    ASSIGN_OR_RETURN(Nodes root, TemplateParser(braced).Parse());
    for (JsonPathNode& node : root.front().nodes) out->push_back(std::move(node));
    return absl::OkStatus();
  }

  // A number with an optional sign, or nothing: upstream's `-?[\d]*`.
  static std::string_view TakeNumber(std::string_view* text) {
    std::size_t size = text->starts_with('-') ? 1 : 0;
    while (size < text->size() && IsDigit((*text)[size])) ++size;
    const std::string_view number = text->substr(0, size);
    text->remove_prefix(size);
    return number;
  }

  static absl::Status ParseSlice(std::string_view text, Nodes* out) {
    std::array<std::optional<std::string_view>, 3> numbers;
    std::string_view rest = text;
    for (std::size_t i = 0; i < 3 && (i == 0 || rest.starts_with(':')); ++i) {
      if (i > 0) rest.remove_prefix(1);
      numbers[i] = TakeNumber(&rest);
    }
    if (!rest.empty()) return InvalidText(fmt::format("invalid array index {}", text));
    JsonPathNode node(JsonPathNode::Kind::kArray);
    for (std::size_t i = 0; i < 3; ++i) {
      if (i == 1 && !numbers[i]) node.bounds[i] = {node.bounds[0].value + 1, true, true};
      if (!numbers[i] || numbers[i]->empty()) continue;
      const std::optional<std::int64_t> value = ParseGoInt(*numbers[i]);
      if (!value) return InvalidText(fmt::format("array index {} is not a number", *numbers[i]));
      node.bounds[i] = {*value, true, false};
    }
    out->push_back(std::move(node));
    return absl::OkStatus();
  }

  // The text of a filter: up to a parenthesis that is not within quotes.
  absl::Status FilterText(std::string_view* out) {
    const std::size_t begin = at_;
    char quote = '\0';
    bool closed = false;
    for (;; ++at_) {
      const char c = Peek();
      if (AtEnd() || c == '\n') return InvalidText("unterminated filter");
      if (c == '"' || c == '\'') {
        if (quote == '\0')
          quote = c;
        else if (c == quote && text_[at_ - 1] != '\\')
          closed = true;
      }
      if (c == ')' && closed == (quote != '\0')) break;
    }
    *out = text_.substr(begin, at_ - begin);
    ++at_;
    if (Peek() != ']') return InvalidText("unclosed array expect ]");
    ++at_;
    return absl::OkStatus();
  }

  absl::Status ParseFilter(Nodes* out) {
    at_ += 3;
    std::string_view text;
    RETURN_IF_ERROR(FilterText(&text));
    // LEFT OPERATOR RIGHT, none of them empty; all else asks whether there is such a thing.
    constexpr std::string_view kSigns = "!<>=";
    const std::size_t op = std::min(text.find_first_of(kSigns), text.size());
    std::size_t right = std::min(text.find_first_not_of(kSigns, op), text.size());
    if (right == text.size() && right > op) --right;
    JsonPathNode node(JsonPathNode::Kind::kFilter, "exists");
    Nodes& left = node.nodes.emplace_back(JsonPathNode::Kind::kList).nodes;
    if (op == 0 || right == op) {
      RETURN_IF_ERROR(ParseInner(text, &left));
      node.nodes.emplace_back(JsonPathNode::Kind::kList);
    } else {
      RETURN_IF_ERROR(ParseInner(text.substr(0, op), &left));
      node.text = text.substr(op, right - op);
      RETURN_IF_ERROR(ParseInner(text.substr(right),
                                 &node.nodes.emplace_back(JsonPathNode::Kind::kList).nodes));
    }
    out->push_back(std::move(node));
    return absl::OkStatus();
  }

  absl::Status ParseQuote(char quote, Nodes* out) {
    const std::size_t begin = at_++;
    for (;; ++at_) {
      if (AtEnd() || Peek() == '\n') return InvalidText("unterminated quoted string");
      if (Peek() == quote && text_[at_ - 1] != '\\') break;
    }
    ++at_;
    const std::string_view whole = text_.substr(begin, at_ - begin);
    std::optional<std::string> text = Unquoter(whole.substr(1, whole.size() - 2), quote).Unquote();
    if (!text) return InvalidText(fmt::format("unquote string {} error invalid syntax", whole));
    out->emplace_back(JsonPathNode::Kind::kText, *std::move(text));
    return absl::OkStatus();
  }

  // Up to a terminator that no backslash stands before. The backslashes are no part of the name.
  void ParseField(Nodes* out) {
    const std::size_t begin = at_;
    for (; !AtEnd() && !IsTerminator(Peek()); ++at_) {
      if (Peek() == '\\' && at_ + 1 < text_.size()) ++at_;
    }
    const std::string_view raw = text_.substr(begin, at_ - begin);
    if (raw == "*") {
      out->emplace_back(JsonPathNode::Kind::kWildcard);
      return;
    }
    std::string name(raw);
    std::erase(name, '\\');
    out->emplace_back(JsonPathNode::Kind::kField, std::move(name));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<JsonPathNode>> ParseJsonPath(std::string_view text) {
  return TemplateParser(text).Parse();
}

}  // namespace ksim::value
