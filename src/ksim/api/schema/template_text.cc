#include "ksim/api/schema/template_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ksim/api/core/version_table.h"
#include "ksim/api/schema/template_types.h"
#include "ksim/base/hash.h"
#include "ksim/value/quantity.h"

namespace ksim::api {
namespace {

using value::Atom;
using value::Quantity;
using value::Value;

struct TextType {
  enum class Kind : std::uint8_t {
    kString,
    kInt,
    kBool,
    kSlice,
    kMap,
    kStruct,
    kTime,
    kQuantity,
    kIntOrString
  };
  Kind kind = Kind::kString;
  bool pointer = false;
  std::uint32_t element = 0;  // pointer, slice, map: the type's number; struct: the struct's
  std::string_view name;      // as Go prints it
};

struct TextField {
  std::string_view go_name;
  Atom name;
  std::uint32_t type = 0;
  bool embedded = false;
};

using TextStruct = std::vector<TextField>;
// Numbers by pieces of the table's text. Nobody iterates over them.
using NumbersByText = absl::flat_hash_map<std::string_view, std::uint32_t, TextHash>;

// The structs as one version has them.
class TextTypes {
 public:
  explicit TextTypes(int minor) : minor_(minor) {
    std::string_view text = kTemplateTypes;
    // Structs first, so that a type knows that it is one.
    ForEachWord(text, [this](std::string_view word, bool first) {
      if (first) struct_numbers_.emplace(word, static_cast<std::uint32_t>(struct_numbers_.size()));
    });
    structs_.resize(struct_numbers_.size());
    TextStruct* current = nullptr;
    ForEachWord(text, [this, &current](std::string_view word, bool first) {
      if (first) {
        current = &structs_[struct_numbers_.at(word)];
      } else {
        ReadField(word, current);
      }
    });
    root_ = TypeNumber("v1.PodTemplateSpec");
  }

  const TextType& type(std::uint32_t number) const { return types_[number]; }
  const TextStruct& fields(std::uint32_t number) const { return structs_[number]; }
  const TextType& root() const { return types_[root_]; }

 private:
  // A line that begins with a blank goes on with the struct before it.
  template <class F>
  static void ForEachWord(std::string_view text, const F& f) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      bool first = !line.starts_with(' ');
      while (!line.empty()) {
        const std::size_t at = std::min(line.find(' '), line.size());
        if (at > 0) {
          f(line.substr(0, at), first);
          first = false;
        }
        line.remove_prefix(std::min(at + 1, line.size()));
      }
    }
  }

  void ReadField(std::string_view word, TextStruct* into) {
    while (word[0] >= '0' && word[0] <= '9') {  // 30+, 36-
      const int minor = (word[0] - '0') * 10 + (word[1] - '0');
      if ((minor_ >= minor) != (word[2] == '+')) return;
      word.remove_prefix(3);
    }
    TextField field;
    field.embedded = word.starts_with('&');
    if (field.embedded) word.remove_prefix(1);
    const std::size_t colon = word.find(':');
    const std::string_view names = word.substr(0, colon);
    const std::size_t equals = names.find('=');
    field.go_name = names.substr(0, equals);
    std::string name(equals == names.npos ? field.go_name : names.substr(equals + 1));
    if (equals == names.npos && name[0] >= 'A' && name[0] <= 'Z')
      name[0] = static_cast<char>(name[0] - 'A' + 'a');
    field.name = Atom(name);
    field.type = TypeNumber(word.substr(colon + 1));
    into->push_back(field);
  }

  std::uint32_t TypeNumber(std::string_view text) {
    if (const auto known = type_numbers_.find(text); known != type_numbers_.end())
      return known->second;
    const TextType type = Parse(text);
    types_.push_back(type);
    const auto number = static_cast<std::uint32_t>(types_.size() - 1);
    type_numbers_.emplace(text, number);
    return number;
  }

  TextType Parse(std::string_view text) {
    constexpr std::string_view kStringMap = "map[string]";
    TextType type;
    type.name = text;
    if (text.starts_with('*')) {
      type.pointer = true;
      type.element = TypeNumber(text.substr(1));
    } else if (text.starts_with("[]")) {
      type.kind = TextType::Kind::kSlice;
      type.element = TypeNumber(text.substr(2));
    } else if (text.starts_with(kStringMap)) {
      type.kind = TextType::Kind::kMap;
      type.element = TypeNumber(text.substr(kStringMap.size()));
    } else if (text == "v1.ResourceList") {
      type.kind = TextType::Kind::kMap;
      type.element = TypeNumber("resource.Quantity");
    } else if (text == "resource.Quantity") {
      type.kind = TextType::Kind::kQuantity;
    } else if (text == "intstr.IntOrString") {
      type.kind = TextType::Kind::kIntOrString;
    } else if (text == "v1.Time") {
      type.kind = TextType::Kind::kTime;
    } else if (text == "bool") {
      type.kind = TextType::Kind::kBool;
    } else if (text == "int32" || text == "int64") {
      type.kind = TextType::Kind::kInt;
    } else if (const auto found = struct_numbers_.find(text); found != struct_numbers_.end()) {
      type.kind = TextType::Kind::kStruct;
      type.element = found->second;
    }
    return type;
  }

  int minor_;
  std::uint32_t root_ = 0;
  NumbersByText struct_numbers_, type_numbers_;
  std::vector<TextStruct> structs_;
  std::vector<TextType> types_;
};

template <int minor>
const TextTypes& TypesOfMinor() {
  static const TextTypes& types = *new TextTypes(minor);  // never destroyed
  return types;
}

const TextTypes& TypesOf(Compat compat) {
  constexpr const TextTypes& (*kColumns[])() = {&TypesOfMinor<25>, &TypesOfMinor<30>,
                                                &TypesOfMinor<36>};
  return ColumnOf(kColumns, compat)();
}

// A quantity as ParseQuantity makes it of the text that a server sends. The text is kept where it
// is canonical for sure; an amount that is too long for 64 bits is a big decimal of nanos.
std::string QuantityText(const Value& v) {
  const auto parsed = Quantity::FromTree(v);
  const std::string text = parsed.ok() ? parsed->ToString() : "0";
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  std::string digits;
  std::size_t fraction = 0;
  bool behind_point = false;
  for (; !rest.empty() && (rest[0] == '.' || (rest[0] >= '0' && rest[0] <= '9'));
       rest.remove_prefix(1)) {
    if (rest[0] == '.') {
      behind_point = true;
    } else {
      digits += rest[0];
      if (behind_point) ++fraction;
    }
  }
  const auto print = [](std::int64_t value, std::int64_t scale, std::string_view dec,
                        std::string_view kept, std::string_view format) {
    return fmt::format(
        "{{i:(resource.int64Amount){{value:(int64){} scale:(resource.Scale){}}} "
        "d:(resource.infDecAmount){{Dec:(*inf.Dec){}}} s:(string){} Format:(resource.Format){}}}",
        value, scale, dec, kept, format);
  };
  if (text == "0") return print(0, 0, "<nil>", "0", "DecimalSI");

  const bool binary = rest.size() == 2 && rest[1] == 'i';
  const bool exponent_form = rest.size() > 1 && (rest[0] == 'e' || rest[0] == 'E');
  const std::string_view format = binary          ? "BinarySI"
                                  : exponent_form ? "DecimalExponent"
                                                  : "DecimalSI";
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const auto length = static_cast<std::int64_t>(digits.size());
  if (binary) {
    constexpr std::string_view kBinary = "KMGTPE";
    const auto shift = 10 * static_cast<std::int64_t>(kBinary.find(rest[0]) + 1);
    if (fraction == 0 && 15 - length - shift * 3 / 10 - 1 >= 0) {
      const std::int64_t value = number << shift;
      return print(negative ? -value : value, 0, "<nil>", (number & 7) != 0 ? text : "", format);
    }
  } else {
    std::int64_t exponent = 0;
    if (exponent_form) {
      const std::string_view e = rest.substr(rest[1] == '+' ? 2 : 1);
      std::from_chars(e.data(), e.data() + e.size(), exponent);
    } else if (!rest.empty()) {
      constexpr std::string_view kDecimal = "num kMGTPE";  // from -9 on, the blank is no suffix
      exponent = 3 * static_cast<std::int64_t>(kDecimal.find(rest[0])) - 9;
    }
    const std::int64_t scale = exponent - static_cast<std::int64_t>(fraction);
    if (18 - length >= 0 && scale >= -9) {
      const bool kept = scale % 3 == 0 && !digits.ends_with("000") && digits[0] != '0';
      return print(negative ? -number : number, scale, "<nil>", kept ? text : "", format);
    }
  }
  __extension__ using Wide = unsigned __int128;
  const std::int64_t whole = parsed->Value();
  const bool capped = binary && whole == INT64_MAX;
  const Wide unscaled =
      capped ? Wide(INT64_MAX) : Wide(static_cast<std::uint64_t>(std::abs(whole))) * 1'000'000'000;
  std::string words = fmt::format("{}", static_cast<std::uint64_t>(unscaled));
  if ((unscaled >> 64) != 0)
    words += fmt::format(" {}", static_cast<std::uint64_t>(unscaled >> 64));
  return print(0, 0,
               fmt::format("{{unscaled:(big.Int){{neg:(bool){} abs:(big.nat)[{}]}} "
                           "scale:(inf.Scale){}}}",
                           negative, words, capped ? 0 : 9),
               "", format);
}

// The amount alone, in the decimal format: a sum has the format of what it began with.
std::string AmountText(const Value& v) {
  const auto parsed = Quantity::FromTree(v);
  if (!parsed.ok()) return {};
  const Quantity one = Quantity::FromInt(1);
  return (one + *parsed - one).ToString();
}

class Printer {
 public:
  // `amounts`: quantities as numbers, whatever their text and format.
  Printer(const TextTypes& types, bool amounts) : types_(types), amounts_(amounts) {}

  std::string Print(const Value& v) {
    Write(types_.root(), v, true);
    return std::move(out_);
  }

 private:
  void Write(const TextType& type, const Value& v, bool with_type) {
    if (with_type) out_.append("(").append(type.name).append(")");
    if (!type.pointer) return WriteBare(type, v);
    if (v.is_null()) {
      out_ += "<nil>";
    } else {
      WriteBare(types_.type(type.element), v);
    }
  }

  void WriteBare(const TextType& type, const Value& v) {
    switch (type.kind) {
      case TextType::Kind::kString:
        out_ += v.AsString();
        return;
      case TextType::Kind::kInt:
        out_ += std::to_string(v.AsInt());
        return;
      case TextType::Kind::kBool:
        out_ += v.AsBool() ? "true" : "false";
        return;
      case TextType::Kind::kSlice:
        return WriteSlice(types_.type(type.element), v);
      case TextType::Kind::kMap:
        return WriteMap(types_.type(type.element), v);
      case TextType::Kind::kStruct:
        return WriteStruct(types_.fields(type.element), v);
      case TextType::Kind::kTime:
        out_ += "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}";
        return;
      case TextType::Kind::kQuantity:
        out_ += amounts_ ? AmountText(v) : QuantityText(v);
        return;
      case TextType::Kind::kIntOrString:
        out_ += fmt::format("{{Type:(intstr.Type){} IntVal:(int32){} StrVal:(string){}}}",
                            v.is_string() ? 1 : 0, v.AsInt(), v.AsString());
        return;
    }
  }

  void WriteSlice(const TextType& item, const Value& v) {
    if (v.empty()) {
      out_ += "<nil>";
      return;
    }
    out_ += '[';
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (i > 0) out_ += ' ';
      Write(item, v.at(i), false);
    }
    out_ += ']';
  }

  void WriteMap(const TextType& item, const Value& v) {
    if (v.empty()) {
      out_ += "<nil>";
      return;
    }
    out_ += "map[";
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (i > 0) out_ += ' ';
      out_.append(v.member(i).name.text()).append(":");
      Write(item, v.member(i).value, false);
    }
    out_ += ']';
  }

  void WriteStruct(const TextStruct& fields, const Value& v) {
    out_ += '{';
    bool first = true;
    for (const TextField& field : fields) {
      if (!first) out_ += ' ';
      first = false;
      out_.append(field.go_name).append(":");
      Write(types_.type(field.type), field.embedded ? v : v.Get(field.name), true);
    }
    out_ += '}';
  }

  const TextTypes& types_;
  const bool amounts_;
  std::string out_;
};

}  // namespace

std::string TemplateText(const Value& pod_template, Compat compat) {
  return Printer(TypesOf(compat), false).Print(pod_template);
}

bool SameTemplates(const Value& a, const Value& b, Compat compat) {
  if (a == b) return true;
  const TextTypes& types = TypesOf(compat);
  return Printer(types, true).Print(a) == Printer(types, true).Print(b);
}

}  // namespace ksim::api
