#include "ksim/value/jsonpath.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/value/go_format.h"
#include "ksim/value/text.h"

namespace ksim::value {
namespace {

using Values = std::vector<Value>;

absl::Status OutOfBounds(std::int64_t index, std::int64_t size) {
  return InvalidText(fmt::format("array index out of bounds: index {}, length {}", index, size));
}

// The children of a value: members by name, items, the bytes of a text.
Values ChildrenOf(const Value& v) {
  Values out;
  for (const Value::Member& m : v.members()) out.push_back(m.value);
  for (const Value& item : v.items()) out.push_back(item);
  for (const char c : v.AsString()) out.push_back(Value::Int(static_cast<unsigned char>(c)));
  return out;
}

// The containers and texts of a tree, outer before inner (evalRecursive).
void AppendDescent(const Value& v, Values* out) {
  const Values children = ChildrenOf(v);
  if (children.empty()) return;
  out->push_back(v);
  if (v.is_string()) return;
  for (const Value& child : children) AppendDescent(child, out);
}

// [begin, end) and the step, for an array of that size; begin = end if it selects nothing.
struct Slice {
  std::int64_t begin = 0, end = 0, step = 1;
};

absl::StatusOr<Slice> SliceOf(const JsonPathNode& node, std::int64_t size) {
  const auto& [first, last, step] = node.bounds;
  Slice s;
  s.begin = first.known ? first.value : 0;
  if (s.begin < 0) s.begin += size;
  s.end = last.known ? last.value : size;
  if (s.end < 0 || (s.end == 0 && last.derived)) s.end += size;
  if (s.begin == s.end) return s;
  if (s.begin >= size || s.begin < 0) return OutOfBounds(s.begin, size);
  if (s.end > size || s.end < 0) return OutOfBounds(s.end - 1, size);
  if (s.begin > s.end)
    return InvalidText(
        fmt::format("starting index {} is greater than ending index {}", s.begin, s.end));
  if (step.known && step.value <= 0) return InvalidText("step must be > 0");
  if (step.known) s.step = step.value;
  return s;
}

// client-go third_party/forked/golang/template funcs.go: it compares values of one type only, and
// booleans only for equality.
absl::StatusOr<std::partial_ordering> Compare(const Value& a, const Value& b, bool order) {
  const auto basic = [](const Value& v) { return v.is_bool() || v.is_number() || v.is_string(); };
  if (!basic(a) || !basic(b)) return InvalidText("invalid type for comparison");
  if (a.type() != b.type()) return InvalidText("incompatible types for comparison");
  if (a.is_int()) return std::partial_ordering(a.AsInt() <=> b.AsInt());
  if (a.is_double()) return a.AsDouble() <=> b.AsDouble();
  if (a.is_string()) return std::partial_ordering(a.AsString() <=> b.AsString());
  if (order) return InvalidText("invalid type for comparison");
  return std::partial_ordering(a.AsBool() <=> b.AsBool());
}

absl::StatusOr<bool> Holds(const Value& a, const std::string& op, const Value& b) {
  constexpr std::string_view kOps[] = {"<", ">", "==", "!=", "<=", ">="};
  if (std::find(std::begin(kOps), std::end(kOps), op) == std::end(kOps))
    return InvalidText("unrecognized filter operator " + op);
  ASSIGN_OR_RETURN(const std::partial_ordering c, Compare(a, b, op != "==" && op != "!="));
  if (op == "<") return c < 0;
  if (op == ">") return c > 0;
  if (op == "==") return c == 0;
  if (op == "!=") return c != 0;
  return op == "<=" ? c <= 0 : c >= 0;
}

// One evaluation. A range is a state and no node: the nodes that follow it up to its end are
// evaluated anew for each value that it found.
class Evaluation {
 public:
  Evaluation(const std::vector<JsonPathNode>& nodes, JsonPath::Missing missing)
      : nodes_(nodes), missing_(missing) {}

  // The nodes from `begin` on, up to the end of the range they are in.
  absl::StatusOr<JsonPath::Results> Find(std::size_t begin, const Values& values) {
    JsonPath::Results out;
    for (std::size_t i = begin; i < nodes_.size(); ++i) {
      ASSIGN_OR_RETURN(Values found, Walk(values, nodes_[i]));
      if (ends_ > 0 && ends_ <= inside_) {
        --ends_;
        last_end_ = i;
        break;
      }
      if (begins_ == 0) {
        out.push_back(std::move(found));
        continue;
      }
      --begins_;
      RETURN_IF_ERROR(Rounds(i + 1, found, &out));
      if (last_end_ > i) i = last_end_;
    }
    return out;
  }

 private:
  absl::Status Rounds(std::size_t begin, const Values& values, JsonPath::Results* out) {
    ++inside_;
    for (const Value& v : values) {
      ASSIGN_OR_RETURN(JsonPath::Results results, Find(begin, {v}));
      for (Values& r : results) out->push_back(std::move(r));
    }
    // Without a value too, to find out where the range ends.
    if (values.empty()) RETURN_IF_ERROR(Find(begin, {Value()}).status());
    --inside_;
    return absl::OkStatus();
  }

  absl::StatusOr<Values> WalkAll(Values values, const std::vector<JsonPathNode>& nodes) {
    for (const JsonPathNode& node : nodes) {
      ASSIGN_OR_RETURN(values, Walk(values, node));
    }
    return values;
  }

  absl::StatusOr<Values> Walk(const Values& values, const JsonPathNode& node) {
    switch (node.kind) {
      case JsonPathNode::Kind::kText:
        return Values{Value::String(node.text)};
      case JsonPathNode::Kind::kList:
        return WalkAll(values, node.nodes);
      case JsonPathNode::Kind::kField:
        return Field(values, node.text);
      case JsonPathNode::Kind::kArray:
        return Array(values, node);
      case JsonPathNode::Kind::kFilter:
        return Filter(values, node);
      case JsonPathNode::Kind::kInt:
        return Values(values.size(), Value::Int(node.number));
      case JsonPathNode::Kind::kFloat:
        return Values(values.size(), Value::Double(node.fraction));
      case JsonPathNode::Kind::kBool:
        return Values(values.size(), Value::Bool(node.truth));
      case JsonPathNode::Kind::kWildcard:
        return Wildcard(values);
      case JsonPathNode::Kind::kRecursive:
        return Recursive(values);
      case JsonPathNode::Kind::kUnion:
        return Union(values, node);
      case JsonPathNode::Kind::kIdentifier:
        return Identifier(values, node.text);
    }
    return Values();
  }

  absl::StatusOr<Values> Identifier(const Values& values, const std::string& name) {
    if (name == "range") {
      ++begins_;
      return values;
    }
    if (name != "end") return InvalidText("unrecognized identifier " + name);
    if (inside_ == 0) return InvalidText("not in range, nothing to end");
    ++ends_;
    return Values();
  }

  absl::StatusOr<Values> Field(const Values& values, const std::string& name) {
    Values out;
    for (const Value& v : values)
      if (v.Has(name)) out.push_back(v.Get(name));
    if (out.empty() && !values.empty() && missing_ == JsonPath::Missing::kError)
      return InvalidText(name + " is not found");
    return out;
  }

  static absl::StatusOr<Values> Array(const Values& values, const JsonPathNode& node) {
    Values out;
    for (const Value& v : values) {
      if (v.is_null()) continue;
      if (!v.is_array()) return InvalidText(fmt::format("{} is not array or slice", GoTypeName(v)));
      ASSIGN_OR_RETURN(const Slice s, SliceOf(node, static_cast<std::int64_t>(v.size())));
      if (s.begin == s.end) return out;
      for (std::int64_t i = s.begin; i < s.end;) {
        out.push_back(v.at(static_cast<std::size_t>(i)));
        if (s.step >= s.end - i) break;
        i += s.step;
      }
    }
    return out;
  }

  static Values Wildcard(const Values& values) {
    Values out;
    for (const Value& v : values)
      for (Value& child : ChildrenOf(v)) out.push_back(std::move(child));
    return out;
  }

  static Values Recursive(const Values& values) {
    Values out;
    for (const Value& v : values) AppendDescent(v, &out);
    return out;
  }

  absl::StatusOr<Values> Union(const Values& values, const JsonPathNode& node) {
    Values out;
    for (const JsonPathNode& list : node.nodes) {
      ASSIGN_OR_RETURN(Values found, WalkAll(values, list.nodes));
      for (Value& v : found) out.push_back(std::move(v));
    }
    return out;
  }

  absl::StatusOr<Values> Filter(const Values& values, const JsonPathNode& node) {
    Values out;
    for (const Value& v : values) {
      if (!v.is_array())
        return InvalidText(
            fmt::format("{} is not array or slice and cannot be filtered", GoFormat(v)));
      for (const Value& item : v.items()) {
        ASSIGN_OR_RETURN(const bool passes, Passes(item, node));
        if (passes) out.push_back(item);
      }
    }
    return out;
  }

  absl::StatusOr<bool> Passes(const Value& item, const JsonPathNode& node) {
    absl::StatusOr<Values> left = WalkAll({item}, node.nodes[0].nodes);
    if (node.text == "exists") return left.ok() && !left->empty();
    RETURN_IF_ERROR(left.status());
    constexpr const char* kMany = "can only compare one element at a time";
    if (left->empty()) return false;
    if (left->size() > 1) return InvalidText(kMany);
    ASSIGN_OR_RETURN(const Values right, WalkAll({item}, node.nodes[1].nodes));
    if (right.empty()) return false;
    if (right.size() > 1) return InvalidText(kMany);
    return Holds(left->front(), node.text, right.front());
  }

  const std::vector<JsonPathNode>& nodes_;
  JsonPath::Missing missing_;
  int begins_ = 0;  // ranges whose values the loop has not reached
  int inside_ = 0;  // ranges whose values the loop is at
  int ends_ = 0;
  std::size_t last_end_ = 0;  // node of the end met last
};

std::string PrintedText(const Value& v) {
  if (v.is_object() || v.is_array()) return GoJson(v);
  return v.is_null() ? "null" : GoFormat(v);
}

}  // namespace

absl::StatusOr<JsonPath> JsonPath::Parse(std::string_view text) {
  JsonPath path;
  ASSIGN_OR_RETURN(path.nodes_, ParseJsonPath(text));
  return path;
}

absl::StatusOr<JsonPath::Results> JsonPath::Find(const Value& tree, Missing missing) const {
  return Evaluation(nodes_, missing).Find(0, {tree});
}

std::string JsonPath::Text(const Results& results) {
  std::string out;
  for (const std::vector<Value>& found : results)
    for (std::size_t i = 0; i < found.size(); ++i)
      out += (i > 0 ? " " : "") + PrintedText(found[i]);
  return out;
}

std::string JsonPath::Json(const Results& results) {
  std::string out;
  for (const std::vector<Value>& found : results)
    out += GoJson(Value::Array(found), /*indent=*/4) + "\n";
  return out;
}

}  // namespace ksim::value
