// Implements the writer of yaml.h: block YAML through libyaml's emitter, which goyaml.v2 (what
// kubectl prints with) is a port of, with the choices of its encode.go and the key order of its
// sorter.go.
#include <yaml.h>

#include <algorithm>
#include <string>

#include "ksim/base/check.h"
#include "ksim/value/base64.h"
#include "ksim/value/number.h"
#include "ksim/value/text.h"
#include "ksim/value/yaml.h"
#include "ksim/value/yaml_schema.h"

namespace ksim::value {
namespace {

bool IsLetter(char c) {  // all beyond ASCII counts as letters
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

struct Digits {
  std::int64_t number = 0;
  std::size_t end = 0;
};

Digits ReadDigits(std::string_view s, std::size_t from, std::int64_t start) {
  Digits d{start, from};
  for (; d.end < s.size() && IsDigit(s[d.end]); ++d.end) {
    // Wraps as Go's int64 does.
    d.number = static_cast<std::int64_t>(static_cast<std::uint64_t>(d.number) * 10 +
                                         static_cast<std::uint64_t>(s[d.end] - '0'));
  }
  return d;
}

// goyaml.v2 sorter.go: letters after everything else, runs of digits as numbers.
bool KeyBefore(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
  if (i >= a.size() || i >= b.size()) return a.size() < b.size();
  const bool a_letter = IsLetter(a[i]);
  const bool b_letter = IsLetter(b[i]);
  const bool byte_order = static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[i]);
  if (a_letter && b_letter) return byte_order;
  if (a_letter || b_letter) return b_letter;
  std::int64_t start = 0;
  if (a[i] == '0' || b[i] == '0') {
    for (std::size_t j = i; j > 0 && IsDigit(a[j - 1]) && start == 0; --j) start = a[j - 1] != '0';
  }
  const Digits x = ReadDigits(a, i, start);
  const Digits y = ReadDigits(b, i, start);
  if (x.number != y.number) return x.number < y.number;
  return x.end != y.end ? x.end < y.end : byte_order;
}

class YamlWriter {
 public:
  explicit YamlWriter(std::string* out) {
    KSIM_CHECK(yaml_emitter_initialize(&emitter_) != 0);
    yaml_emitter_set_unicode(&emitter_, 1);
    yaml_emitter_set_output(&emitter_, Append, out);
  }
  YamlWriter(const YamlWriter&) = delete;
  YamlWriter& operator=(const YamlWriter&) = delete;
  ~YamlWriter() { yaml_emitter_delete(&emitter_); }

  void WriteDocument(const Value& v) {
    yaml_event_t event;
    yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING);
    Emit(&event);
    yaml_document_start_event_initialize(&event, nullptr, nullptr, nullptr, 1);
    Emit(&event);
    Write(v);
    yaml_document_end_event_initialize(&event, 1);
    Emit(&event);
    emitter_.open_ended = 0;  // no "..." after a block scalar that keeps its last newlines
    yaml_stream_end_event_initialize(&event);
    Emit(&event);
  }

 private:
  static int Append(void* out, unsigned char* buffer, std::size_t size) {
    static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(buffer), size);
    return 1;
  }

  void Emit(yaml_event_t* event) { KSIM_CHECK(yaml_emitter_emit(&emitter_, event) != 0); }

  void Write(const Value& v) {
    switch (v.type()) {
      case Value::Type::kNull:
        return Plain("null");
      case Value::Type::kBool:
        return Plain(v.AsBool() ? "true" : "false");
      case Value::Type::kInt: {
        std::string text;
        AppendInt(v.AsInt(), &text);
        return Plain(text);
      }
      case Value::Type::kDouble:
        return WriteDouble(v.AsDouble());
      case Value::Type::kString:
        return WriteString(v.AsString());
      case Value::Type::kArray:
        return WriteArray(v);
      case Value::Type::kObject:
        return WriteObject(v);
    }
  }

  void WriteDouble(double d) {
    if (d != d) return Plain(".nan");
    if (d - d != 0) return Plain(d > 0 ? ".inf" : "-.inf");
    std::string text;
    AppendDouble(d, &text);
    Plain(text);
  }

  void WriteArray(const Value& v) {
    yaml_event_t event;
    yaml_sequence_start_event_initialize(&event, nullptr, nullptr, 1, YAML_BLOCK_SEQUENCE_STYLE);
    Emit(&event);
    for (const Value& item : v.items()) Write(item);
    yaml_sequence_end_event_initialize(&event);
    Emit(&event);
  }

  void WriteObject(const Value& v) {
    yaml_event_t event;
    yaml_mapping_start_event_initialize(&event, nullptr, nullptr, 1, YAML_BLOCK_MAPPING_STYLE);
    Emit(&event);
    std::vector<const Value::Member*> members;
    for (const Value::Member& m : v.members()) members.push_back(&m);
    std::stable_sort(members.begin(), members.end(),
                     [](const Value::Member* a, const Value::Member* b) {
                       return KeyBefore(a->name.text(), b->name.text());
                     });
    for (const Value::Member* m : members) {
      WriteString(m->name.text());
      Write(m->value);
    }
    yaml_mapping_end_event_initialize(&event);
    Emit(&event);
  }

  void Plain(std::string_view text) { Scalar(text, nullptr, YAML_PLAIN_SCALAR_STYLE); }

  void WriteString(std::string_view s) {
    if (!IsUtf8(s))
      return Scalar(Base64(s), "tag:yaml.org,2002:binary", YAML_DOUBLE_QUOTED_SCALAR_STYLE);
    if (s.find('\n') != std::string_view::npos)
      return Scalar(s, nullptr, YAML_LITERAL_SCALAR_STYLE);
    Scalar(s, nullptr,
           IsPlainString(s) ? YAML_PLAIN_SCALAR_STYLE : YAML_DOUBLE_QUOTED_SCALAR_STYLE);
  }

  void Scalar(std::string_view text, const char* tag, yaml_scalar_style_t style) {
    yaml_event_t event;
    const int implicit = tag == nullptr ? 1 : 0;
    KSIM_CHECK(yaml_scalar_event_initialize(
                   &event, nullptr, reinterpret_cast<const yaml_char_t*>(tag),
                   reinterpret_cast<const yaml_char_t*>(text.data()), static_cast<int>(text.size()),
                   implicit, implicit, style) != 0);
    Emit(&event);
  }

  yaml_emitter_t emitter_{};
};

}  // namespace

std::string ToYaml(const Value& v) {
  std::string out;
  YamlWriter(&out).WriteDocument(v);
  return out;
}

}  // namespace ksim::value
