// Implements the parser of yaml.h.
#include <fmt/format.h>
#include <yaml.h>

#include <map>
#include <string>
#include <utility>

#include "ksim/value/json_stream.h"
#include "ksim/value/text.h"
#include "ksim/value/yaml.h"
#include "ksim/value/yaml_problem.h"
#include "ksim/value/yaml_schema.h"

namespace ksim::value {
namespace {

constexpr int kMaxYamlDepth = 1000;
constexpr std::size_t kMaxAliasNodes =
    1'000'000;  // limit of the nodes that all aliases of a file copy

// The line breaks that libyaml counts: \n, \r, \r\n, NEL, LS, PS.
std::vector<std::string> SplitLines(std::string_view text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    std::size_t n = 0;
    if (rest.starts_with("\r\n") || rest.starts_with("\xC2\x85")) {
      n = 2;
    } else if (rest.front() == '\n' || rest.front() == '\r') {
      n = 1;
    } else if (rest.starts_with("\xE2\x80\xA8") || rest.starts_with("\xE2\x80\xA9")) {
      n = 3;
    }
    if (n > 0) {
      lines.emplace_back(text.substr(start, i - start));
      start = i + n;
    }
    i += n > 0 ? n : 1;
  }
  if (start < text.size()) lines.emplace_back(text.substr(start));
  return lines;
}

std::size_t CountNodes(const YamlNode& node) {
  std::size_t n = 1;
  for (const YamlNode& item : node.items) n += CountNodes(item);
  for (const YamlNode::Entry& entry : node.entries) n += CountNodes(entry.value);
  return n;
}

std::string_view TextOfChars(const yaml_char_t* s) {
  return s == nullptr ? std::string_view() : reinterpret_cast<const char*>(s);
}

// One event, freed with it.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(&event_); }
  yaml_event_t* get() { return &event_; }
  const yaml_event_t* operator->() const { return &event_; }
  Span span() const { return SpanOf(event_.start_mark, event_.end_mark); }

 private:
  yaml_event_t event_{};
};

class Reader {
 public:
  // Reads `text` from `begin`, which is at `place`, to `end`.
  Reader(std::string_view text, std::size_t begin, const LineColumn& place, std::size_t end,
         YamlFile* file)
      : text_(text), file_(*file) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(
        &parser_, reinterpret_cast<const unsigned char*>(text.data() + begin), end - begin);
    parser_.offset = begin;
    parser_.mark.line = static_cast<std::size_t>(place.line - 1);
    parser_.mark.column = static_cast<std::size_t>(place.column - 1);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { yaml_parser_delete(&parser_); }

  void ReadStream() {
    while (true) {
      Event event;
      if (!Next(&event) || event->type == YAML_STREAM_END_EVENT) return;
      if (event->type == YAML_DOCUMENT_START_EVENT && !ReadDocument()) return;
    }
  }

 private:
  bool Next(Event* event) {
    if (yaml_parser_parse(&parser_, event->get()) != 0) return true;
    file_.errors.push_back(ParserProblem(parser_, file_, text_));
    return false;
  }

  void Error(const Span& span, std::string message, std::string hint) {
    file_.errors.push_back(file_.At(span, std::move(message), std::move(hint)));
  }

  // Every Read... function returns false to stop reading the file.
  bool ReadDocument() {
    anchors_.clear();
    YamlNode root;
    Event event;
    if (!Next(&event) || !ReadNode(event, &root, 1)) return false;
    const bool empty = root.kind == YamlNode::Kind::kScalar && root.plain && root.text.empty();
    if (!empty) file_.documents.push_back(std::move(root));
    return true;
  }

  bool ReadNode(const Event& event, YamlNode* node, int depth) {
    node->span = event.span();
    if (depth > kMaxYamlDepth) {
      Error(node->span, "nested deeper than 1000", "");
      return false;
    }
    switch (event->type) {
      case YAML_ALIAS_EVENT:
        return ReadAlias(event, node);
      case YAML_SCALAR_EVENT:
        ReadScalar(event, node);
        return Anchor(event->data.scalar.anchor, *node);
      case YAML_SEQUENCE_START_EVENT:
        CheckTag(event->data.sequence_start.tag, "seq", node->span);
        return ReadSequence(node, depth) && Anchor(event->data.sequence_start.anchor, *node);
      case YAML_MAPPING_START_EVENT:
        CheckTag(event->data.mapping_start.tag, "map", node->span);
        return ReadMapping(node, depth) && Anchor(event->data.mapping_start.anchor, *node);
      default:
        Error(node->span, "unexpected end of the document", "");
        return false;
    }
  }

  bool Anchor(const yaml_char_t* name, const YamlNode& node) {
    if (name != nullptr) anchors_[std::string(TextOfChars(name))] = node;
    return true;
  }

  bool ReadAlias(const Event& event, YamlNode* node) {
    const std::string name(TextOfChars(event->data.alias.anchor));
    const auto it = anchors_.find(name);
    if (it == anchors_.end()) {
      Error(event.span(), fmt::format("undefined alias *{}", name), AliasHint(name));
      return true;
    }
    alias_nodes_ += CountNodes(it->second);
    if (alias_nodes_ > kMaxAliasNodes) {
      Error(event.span(), "the aliases of this file stand for more than 1000000 nodes", "");
      return false;
    }
    *node = it->second;
    node->span = event.span();
    return true;
  }

  std::string AliasHint(const std::string& name) const {
    std::vector<std::string_view> names;
    for (const auto& [anchor, node] : anchors_) names.push_back(anchor);
    const std::string near = Nearest(name, names);
    if (!near.empty()) return fmt::format("did you mean *{}?", near);
    return fmt::format("put &{} before the value it stands for, further up", name);
  }

  void ReadScalar(const Event& event, YamlNode* node) {
    const auto& scalar = event->data.scalar;
    node->text.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
    node->plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (scalar.tag != nullptr) {
      ApplyTag(TextOfChars(scalar.tag), node);
    } else if (node->plain) {
      WarnOfKubectl(KubectlDifference(node->text), node->text, node->span);
    }
  }

  static std::string_view ShortTag(std::string_view tag) {
    constexpr std::string_view kPrefix = "tag:yaml.org,2002:";
    return tag.starts_with(kPrefix) ? tag.substr(kPrefix.size()) : tag;
  }

  // Explicit types of the core schema; `!` and !!str make a string.
  void ApplyTag(std::string_view tag, YamlNode* node) {
    const std::string_view type = ShortTag(tag);
    if (tag == "!" || type == "str") {
      node->plain = false;
      return;
    }
    const Value v = ResolveCore(node->text);
    if ((type == "int" && v.is_int()) || (type == "float" && v.is_number()) ||
        (type == "bool" && v.is_bool()) || (type == "null" && v.is_null())) {
      node->plain = true;
      return;
    }
    const bool known = type == "int" || type == "float" || type == "bool" || type == "null";
    Error(node->span,
          known ? fmt::format("{} is not of type !!{}", GoQuote(node->text), type)
                : fmt::format("unknown tag {}", tag),
          known ? "" : "known are !!str, !!int, !!float, !!bool, !!null, !!seq and !!map");
  }

  void CheckTag(const yaml_char_t* tag, std::string_view want, const Span& span) {
    if (tag == nullptr || TextOfChars(tag) == "!" || ShortTag(TextOfChars(tag)) == want) return;
    Error(span, fmt::format("unknown tag {}", TextOfChars(tag)),
          fmt::format("only !!{} fits here", want));
  }

  void WarnOfKubectl(const std::string& difference, const std::string& text, const Span& span) {
    if (difference.empty()) return;
    Diagnostic d = file_.At(span, fmt::format("kubectl takes {} for {}", text, difference),
                            fmt::format("write \"{}\" for the text", text));
    const Value ours = ResolveCore(text);
    if (!ours.is_string()) d.hint += ", or the number without leading zeros";
    d.severity = Diagnostic::Severity::kWarning;
    file_.warnings.push_back(std::move(d));
  }

  bool ReadSequence(YamlNode* node, int depth) {
    node->kind = YamlNode::Kind::kSequence;
    while (true) {
      Event event;
      if (!Next(&event)) return false;
      if (event->type == YAML_SEQUENCE_END_EVENT) {
        End(event, node->items.empty() ? nullptr : &node->items.back().span, node);
        return true;
      }
      node->items.emplace_back();
      if (!ReadNode(event, &node->items.back(), depth + 1)) return false;
    }
  }

  // A block ends where its last child does; a flow collection with its bracket.
  static void End(const Event& event, const Span* last, YamlNode* node) {
    const bool flow = event->start_mark.index != event->end_mark.index;
    const Span end = flow || last == nullptr ? event.span() : *last;
    node->span.end_line = end.end_line;
    node->span.end_column = end.end_column;
  }

  bool ReadMapping(YamlNode* node, int depth) {
    node->kind = YamlNode::Kind::kMapping;
    std::map<std::string, std::size_t> seen;  // the place of a key's entry
    while (true) {
      Event event;
      if (!Next(&event)) return false;
      if (event->type == YAML_MAPPING_END_EVENT) {
        End(event, node->entries.empty() ? nullptr : &node->entries.back().value.span, node);
        return true;
      }
      YamlNode::Entry entry;
      if (!ReadKey(event, &entry) || !ReadEntryValue(&entry, depth)) return false;
      const auto [first, added] = seen.emplace(entry.key, node->entries.size());
      if (added) {
        node->entries.push_back(std::move(entry));
        continue;
      }
      YamlNode::Entry& earlier = node->entries[first->second];
      file_.duplicate_keys.push_back(
          file_.At(entry.key_span,
                   fmt::format("duplicate key {}, first given at {}:{}", GoQuote(entry.key),
                               earlier.key_span.line, earlier.key_span.column),
                   "remove or rename one of the two"));
      earlier = std::move(entry);
    }
  }

  bool ReadEntryValue(YamlNode::Entry* entry, int depth) {
    Event event;
    return Next(&event) && ReadNode(event, &entry->value, depth + 1);
  }

  bool ReadKey(const Event& event, YamlNode::Entry* entry) {
    entry->key_span = event.span();
    YamlNode key;
    if (event->type == YAML_ALIAS_EVENT) {
      if (!ReadAlias(event, &key)) return false;
    } else if (event->type == YAML_SCALAR_EVENT) {
      const auto& scalar = event->data.scalar;
      key.text.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
      Anchor(scalar.anchor, key);
      if (scalar.style == YAML_PLAIN_SCALAR_STYLE && scalar.tag == nullptr) {
        WarnOfKubectl(KubectlKeyDifference(key.text), key.text, entry->key_span);
      }
    }
    const bool scalar = event->type == YAML_SCALAR_EVENT || event->type == YAML_ALIAS_EVENT;
    if (!scalar || key.kind != YamlNode::Kind::kScalar) {
      Error(entry->key_span, "a key must be a scalar, not a list or a mapping",
            "put the key in quotes if it is text");
      return false;
    }
    entry->key = std::move(key.text);
    return true;
  }

  std::string_view text_;
  YamlFile& file_;
  yaml_parser_t parser_{};
  std::map<std::string, YamlNode> anchors_;
  std::size_t alias_nodes_ = 0;
};

}  // namespace

YamlFile ParseYaml(std::string_view text, std::string_view name) {
  // libyaml, told the encoding, counts a byte order mark as a column of the first line.
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  YamlFile file;
  file.name = name;
  file.lines = SplitLines(text);
  const std::vector<std::size_t> begins = JsonObjectsIn(text);
  const bool json = text.substr(begins.front()).starts_with('{');
  Places places(text);
  const std::string readable = json ? WithYamlEscapes(text) : std::string(text);
  for (std::size_t i = 0; i < begins.size() && file.errors.empty(); ++i) {
    const std::size_t end = i + 1 < begins.size() ? begins[i + 1] : readable.size();
    Reader(readable, begins[i], places.Of(begins[i]), end, &file).ReadStream();
  }
  return file;
}

}  // namespace ksim::value
