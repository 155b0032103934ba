// Implements the writers of json.h.
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

#include "ksim/value/json.h"
#include "ksim/value/number.h"

namespace ksim::value {
namespace {

// 0: as it stands; 'u': \u00XX; else the letter after the backslash.
constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> table{};
  for (int c = 0; c < 0x20; ++c) table[static_cast<std::size_t>(c)] = 'u';
  table['"'] = '"';
  table['\\'] = '\\';
  table['\n'] = 'n';
  table['\r'] = 'r';
  table['\t'] = 't';
  table['\b'] = 'b';
  table['\f'] = 'f';
  return table;
}();

class Writer {
 public:
  Writer(std::string* out, int indent) : out_(*out), indent_(indent) {}

  void Write(const Value& v) {
    switch (v.type()) {
      case Value::Type::kNull:
        out_ += "null";
        return;
      case Value::Type::kBool:
        out_ += v.AsBool() ? "true" : "false";
        return;
      case Value::Type::kInt:
        AppendInt(v.AsInt(), &out_);
        return;
      case Value::Type::kDouble:
        AppendDouble(v.AsDouble(), &out_);
        return;
      case Value::Type::kString:
        AppendJsonString(v.AsString(), &out_);
        return;
      case Value::Type::kArray:
        return WriteArray(v);
      case Value::Type::kObject:
        return WriteObject(v);
    }
  }

 private:
  void WriteArray(const Value& v) {
    out_ += '[';
    ++depth_;
    bool first = true;
    for (const Value& item : v.items()) {
      Separate(&first);
      Write(item);
    }
    Close(']', first);
  }

  void WriteObject(const Value& v) {
    out_ += '{';
    ++depth_;
    bool first = true;
    for (const Value::Member& m : v.members()) {
      Separate(&first);
      AppendJsonString(m.name.text(), &out_);
      out_ += indent_ < 0 ? ":" : ": ";
      Write(m.value);
    }
    Close('}', first);
  }

  void Separate(bool* first) {
    if (!*first) out_ += ',';
    *first = false;
    NewLine();
  }

  void Close(char bracket, bool empty) {
    --depth_;
    if (!empty) NewLine();
    out_ += bracket;
  }

  void NewLine() {
    if (indent_ < 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(indent_) * depth_, ' ');
  }

  std::string& out_;
  int indent_;  // negative: all on one line
  std::size_t depth_ = 0;
};

}  // namespace

void AppendInt(std::int64_t i, std::string* out) {
  char text[24];
  const auto [end, ec] = std::to_chars(text, text + sizeof text, i);
  out->append(text, end);
}

void AppendDouble(double d, std::string* out) {
  if (!std::isfinite(d)) {
    *out += "null";
    return;
  }
  char text[40];
  const auto [end, ec] = std::to_chars(text, text + sizeof text, d);
  const std::string_view digits(text, static_cast<std::size_t>(end - text));
  *out += digits;
  if (digits.find_first_of(".e") == std::string_view::npos) *out += ".0";
}

void AppendJsonString(std::string_view s, std::string* out) {
  static constexpr char kHex[] = "0123456789abcdef";
  *out += '"';
  std::size_t written = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const auto c = static_cast<unsigned char>(s[i]);
    const char escape = kEscapes[c];
    if (escape == 0) continue;
    out->append(s, written, i - written);
    written = i + 1;
    *out += '\\';
    *out += escape;
    if (escape == 'u') {
      *out += "00";
      *out += kHex[c >> 4];
      *out += kHex[c & 15];
    }
  }
  out->append(s, written);
  *out += '"';
}

void AppendJson(const Value& v, std::string* out) { Writer(out, -1).Write(v); }

std::string ToJson(const Value& v) {
  std::string out;
  AppendJson(v, &out);
  return out;
}

std::string ToPrettyJson(const Value& v, int indent) {
  std::string out;
  Writer(&out, indent).Write(v);
  return out;
}

}  // namespace ksim::value
