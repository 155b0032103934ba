// ext.Strings of cel-go: libraries.h.
#include <algorithm>
#include <string>

#include "ksim/cel/functions/libraries.h"
#include "ksim/cel/values/go_text.h"
#include "ksim/value/text.h"

namespace ksim::cel {
namespace {

using RuneList = std::vector<char32_t>;

Val OutOfRange(std::int64_t index) {
  return Val::Error("index out of range: " + std::to_string(index));
}

std::string TextOf(const RuneList& runes, std::size_t from, std::size_t to) {
  return FromRunes(runes.data() + from, runes.data() + to);
}

bool IsAt(const RuneList& text, std::size_t at, const RuneList& part) {
  return std::equal(part.begin(), part.end(), text.begin() + static_cast<std::ptrdiff_t>(at));
}

Val CharAt(Arguments a) {
  const RuneList runes = Runes(a[0].AsText());
  const std::int64_t i = a[1].AsInt();
  if (i < 0 || i > static_cast<std::int64_t>(runes.size())) return OutOfRange(i);
  const auto at = static_cast<std::size_t>(i);
  return Val::String(at == runes.size() ? "" : TextOf(runes, at, at + 1));
}

Val IndexFrom(const Val& text, const Val& part, std::int64_t offset) {
  if (part.AsText().empty()) return Val::Int(offset);
  const RuneList runes = Runes(text.AsText());
  const RuneList wanted = Runes(part.AsText());
  if (offset < 0) return OutOfRange(offset);
  for (auto i = static_cast<std::size_t>(offset); i + wanted.size() <= runes.size(); ++i) {
    if (IsAt(runes, i, wanted)) return Val::Int(static_cast<std::int64_t>(i));
  }
  return Val::Int(-1);
}

Val LastIndexFrom(const Val& text, const Val& part, std::int64_t offset) {
  if (part.AsText().empty()) return Val::Int(offset);
  const RuneList runes = Runes(text.AsText());
  const RuneList wanted = Runes(part.AsText());
  if (offset < 0) return OutOfRange(offset);
  const auto size = static_cast<std::int64_t>(runes.size());
  if (offset >= size) return Val::Int(-1);
  std::int64_t i = std::min(offset, size - static_cast<std::int64_t>(wanted.size()));
  for (; i >= 0; --i) {
    if (IsAt(runes, static_cast<std::size_t>(i), wanted)) return Val::Int(i);
  }
  return Val::Int(-1);
}

Val LastIndex(Arguments a) {
  const auto size = static_cast<std::int64_t>(CountRunes(a[0].AsText()));
  if (a[1].AsText().empty()) return Val::Int(size);
  if (a[0].AsText().size() < a[1].AsText().size()) return Val::Int(-1);
  return LastIndexFrom(a[0], a[1], size - 1);
}

template <class Change>
Val MapAscii(const Val& text, Change change) {
  std::string out;
  for (const char32_t rune : Runes(text.AsText())) {
    value::AppendUtf8(rune < 0x80 ? static_cast<char32_t>(change(static_cast<char>(rune))) : rune,
                      &out);
  }
  return Val::String(out);
}

// strings.Replace; most < 0: all.
std::string Replace(std::string_view text, std::string_view old, std::string_view with,
                    std::int64_t most) {
  std::string out;
  std::int64_t done = 0;
  if (old.empty()) {  // in front of each rune and at the end
    while (most < 0 || done < most) {
      out += with;
      ++done;
      if (text.empty()) return out;
      const std::size_t length = std::max<std::size_t>(value::Utf8Length(text), 1);
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
    out += text;
    return out;
  }
  while (most < 0 || done < most) {
    const std::size_t at = text.find(old);
    if (at == std::string_view::npos) break;
    out += text.substr(0, at);
    out += with;
    text.remove_prefix(at + old.size());
    ++done;
  }
  out += text;
  return out;
}

// strings.SplitN; most < 0: all.
Val Split(std::string_view text, std::string_view separator, std::int64_t most) {
  std::vector<Val> parts;
  if (most == 0) return Val::List(std::move(parts));
  const auto full = [&] { return most > 0 && static_cast<std::int64_t>(parts.size()) == most - 1; };
  if (separator.empty()) {
    while (!text.empty() && !full()) {
      const std::size_t length = value::Utf8Length(text);
      parts.push_back(Val::String(length == 0 ? "\xEF\xBF\xBD" : text.substr(0, length)));
      text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    if (!text.empty()) parts.push_back(Val::String(text));
    return Val::List(std::move(parts));
  }
  while (!full()) {
    const std::size_t at = text.find(separator);
    if (at == std::string_view::npos) break;
    parts.push_back(Val::String(text.substr(0, at)));
    text.remove_prefix(at + separator.size());
  }
  parts.push_back(Val::String(text));
  return Val::List(std::move(parts));
}

Val Substring(const Val& text, std::int64_t start, std::optional<std::int64_t> until) {
  const RuneList runes = Runes(text.AsText());
  const auto size = static_cast<std::int64_t>(runes.size());
  const std::int64_t end = until.value_or(size);
  if (until.has_value() && start > end) {
    return Val::Error("invalid substring range. start: " + std::to_string(start) +
                      ", end: " + std::to_string(end));
  }
  if (start < 0 || start > size) return OutOfRange(start);
  if (end < 0 || end > size) return OutOfRange(end);
  return Val::String(TextOf(runes, static_cast<std::size_t>(start), static_cast<std::size_t>(end)));
}

// unicode.IsSpace
bool IsSpace(char32_t c) {
  return c == U' ' || (c >= 0x09 && c <= 0x0D) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

Val Trim(Arguments a) {
  const RuneList runes = Runes(a[0].AsText());
  std::size_t from = 0;
  std::size_t to = runes.size();
  while (from < to && IsSpace(runes[from])) ++from;
  while (to > from && IsSpace(runes[to - 1])) --to;
  return Val::String(TextOf(runes, from, to));
}

Val Join(const Val& list, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < list.list().size(); ++i) {
    const Val item = list.list().at(i);
    if (!item.is_string()) return Val::Error("join: invalid input: " + item.ToText());
    if (i > 0) out += separator;
    out += item.AsText();
  }
  return Val::String(out);
}

Val Reverse(Arguments a) {
  RuneList runes = Runes(a[0].AsText());
  std::reverse(runes.begin(), runes.end());
  return Val::String(TextOf(runes, 0, runes.size()));
}

}  // namespace

void AddStringFunctions(FunctionTable* table, int version) {
  table->Add("charAt", ".string_char_at_int (string, int) -> string", CharAt);
  table->Add("indexOf", ".string_index_of_string (string, string) -> int",
             [](Arguments a) { return IndexFrom(a[0], a[1], 0); });
  table->Add("indexOf", ".string_index_of_string_int (string, string, int) -> int",
             [](Arguments a) { return IndexFrom(a[0], a[1], a[2].AsInt()); });
  table->Add("lastIndexOf", ".string_last_index_of_string (string, string) -> int", LastIndex);
  table->Add("lastIndexOf", ".string_last_index_of_string_int (string, string, int) -> int",
             [](Arguments a) { return LastIndexFrom(a[0], a[1], a[2].AsInt()); });
  table->Add("lowerAscii", ".string_lower_ascii (string) -> string", [](Arguments a) {
    return MapAscii(a[0],
                    [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  });
  table->Add("replace", ".string_replace_string_string (string, string, string) -> string",
             [](Arguments a) {
               return Val::String(Replace(a[0].AsText(), a[1].AsText(), a[2].AsText(), -1));
             });
  table->Add(
      "replace", ".string_replace_string_string_int (string, string, string, int) -> string",
      [](Arguments a) {
        return Val::String(Replace(a[0].AsText(), a[1].AsText(), a[2].AsText(), a[3].AsInt()));
      });
  table->Add("split", ".string_split_string (string, string) -> list(string)",
             [](Arguments a) { return Split(a[0].AsText(), a[1].AsText(), -1); });
  table->Add("split", ".string_split_string_int (string, string, int) -> list(string)",
             [](Arguments a) { return Split(a[0].AsText(), a[1].AsText(), a[2].AsInt()); });
  table->Add("substring", ".string_substring_int (string, int) -> string",
             [](Arguments a) { return Substring(a[0], a[1].AsInt(), std::nullopt); });
  table->Add("substring", ".string_substring_int_int (string, int, int) -> string",
             [](Arguments a) { return Substring(a[0], a[1].AsInt(), a[2].AsInt()); });
  table->Add("trim", ".string_trim (string) -> string", Trim);
  table->Add("upperAscii", ".string_upper_ascii (string) -> string", [](Arguments a) {
    return MapAscii(a[0],
                    [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  });
  if (version >= 1) AddFormatFunction(table);
  table->Add("join", ".list_join (list(string)) -> string",
             [](Arguments a) { return Join(a[0], ""); });
  table->Add("join", ".list_join_string (list(string), string) -> string",
             [](Arguments a) { return Join(a[0], a[1].AsText()); });
  if (version >= 3) table->Add("reverse", ".string_reverse (string) -> string", Reverse);
}

}  // namespace ksim::cel
