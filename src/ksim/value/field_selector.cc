// Implements FieldSelector of selector.h.
#include <algorithm>

#include "ksim/value/json.h"
#include "ksim/value/selector.h"
#include "ksim/value/text.h"

namespace ksim::value {
namespace {

// Splits at commas that no backslash precedes; the backslashes stay.
std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> terms;
  std::size_t start = 0;
  bool escaped = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (escaped || text[i] == '\\') {
      escaped = !escaped;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  terms.push_back(text.substr(start));
  return terms;
}

// One code point from the front.
std::string_view FirstCharacter(std::string_view s) {
  return s.substr(0, std::max<std::size_t>(Utf8Length(s), 1));
}

absl::StatusOr<std::string> UnescapeTerm(std::string_view s) {
  std::string out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == ',' || s[i] == '=') {
      return InvalidText("invalid field selector: unescaped character in value: " +
                         std::to_string(s[i]));
    }
    if (s[i] == '\\') {
      const std::string_view next = FirstCharacter(s.substr(++i));
      if (next != "\\" && next != "," && next != "=") {
        return InvalidText("invalid field selector: invalid escape sequence: \\" +
                           std::string(next));
      }
    }
    out += s[i];
  }
  return out;
}

std::string Escape(std::string_view s) {
  std::string out;
  for (const char c : s) {
    if (c == '\\' || c == ',' || c == '=') out += '\\';
    out += c;
  }
  return out;
}

struct SplitTerm {
  std::size_t at = std::string_view::npos;
  std::size_t length = 0;
};

// The first operator in the term, whichever it is.
SplitTerm FindOperator(std::string_view term) {
  for (std::size_t i = 0; i < term.size(); ++i) {
    const bool equals_next = i + 1 < term.size() && term[i + 1] == '=';
    if (term[i] == '=') return {i, equals_next ? std::size_t{2} : std::size_t{1}};
    if (term[i] == '!' && equals_next) return {i, 2};
  }
  return {};
}

// A field's value as a selector sees it; what is not set is "".
std::string FieldText(const Value* v) {
  if (v == nullptr || v->is_null()) return "";
  return v->is_string() ? std::string(v->AsString()) : ToJson(*v);
}

}  // namespace

absl::StatusOr<FieldSelector> FieldSelector::Parse(std::string_view text) {
  if (text.empty()) return FieldSelector();
  std::vector<std::string_view> parts = SplitTerms(text);
  std::sort(parts.begin(), parts.end());
  FieldSelector selector;
  for (const std::string_view part : parts) {
    if (part.empty()) continue;
    const SplitTerm split = FindOperator(part);
    if (split.length == 0) {
      return InvalidText("invalid selector: '" + std::string(text) + "'; can't understand '" +
                         std::string(part) + "'");
    }
    auto value = UnescapeTerm(part.substr(split.at + split.length));
    if (!value.ok()) return value.status();
    const std::string_view field = part.substr(0, split.at);
    if (field.empty() && value->empty()) continue;
    selector.terms_.emplace_back(field, part[split.at] == '!', *value);
  }
  return selector;
}

bool FieldSelector::Matches(const Value& object) const {
  return MatchesFields([&object](std::string_view field) {
    const auto path = Path::Parse(field);
    return FieldText(path.ok() ? object.Find(*path) : nullptr);
  });
}

std::string FieldSelector::ToString() const {
  std::vector<std::string> parts;
  for (const Term& t : terms_)
    parts.push_back(std::string(t.field.text()) + (t.negated ? "!=" : "=") + Escape(t.value));
  return Join(parts, ",");
}

std::optional<std::string_view> FieldSelector::RequiresExactMatch(std::string_view field) const {
  for (const Term& t : terms_) {
    if (t.field.text() == field && !t.negated) return t.value;
  }
  return std::nullopt;
}

}  // namespace ksim::value
