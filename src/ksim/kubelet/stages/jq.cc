#include "ksim/kubelet/stages/jq.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string>

#include "ksim/kubelet/stages/jq_node.h"
#include "ksim/value/json.h"
#include "ksim/value/text.h"

namespace ksim::kubelet {
namespace {

using value::Value;
using Outputs = std::vector<Jq::Output>;

bool IsTrueToJq(const Value& v) { return !(v.is_null() || (v.is_bool() && !v.AsBool())); }

// null < false < true < numbers < strings < arrays < objects
int JqRank(const Value& v) {
  if (v.is_null()) return 0;
  if (v.is_bool()) return v.AsBool() ? 2 : 1;
  if (v.is_number()) return 3;
  if (v.is_string()) return 4;
  return v.is_array() ? 5 : 6;
}

// -1, 0 or 1; nullopt for two that jq orders in ways that are not read here (objects).
std::optional<int> JqCompare(const Value& a, const Value& b) {
  const int ra = JqRank(a), rb = JqRank(b);
  if (ra != rb) return ra < rb ? -1 : 1;
  const auto sign = [](auto x, auto y) { return x < y ? -1 : x > y ? 1 : 0; };
  if (a.is_int() && b.is_int()) return sign(a.AsInt(), b.AsInt());
  if (ra == 3) {
    const auto number = [](const Value& v) {
      return v.is_int() ? static_cast<double>(v.AsInt()) : v.AsDouble();
    };
    return sign(number(a), number(b));
  }
  if (ra == 4) return sign(a.AsString(), b.AsString());
  if (ra < 3 || a == b) return 0;
  return std::nullopt;
}

// `contains` of gojq: a substring, or each item in some item.
bool JqContains(const Value& whole, const Value& part, bool* ok) {
  if (whole.is_string() && part.is_string())
    return whole.AsString().find(part.AsString()) != std::string_view::npos;
  if (whole.is_array() && part.is_array())
    return std::all_of(part.items().begin(), part.items().end(), [&](const Value& wanted) {
      return std::any_of(whole.items().begin(), whole.items().end(), [&](const Value& item) {
        return item.type() == wanted.type() && JqContains(item, wanted, ok);
      });
    });
  if (whole.is_object() && part.is_object())
    return std::all_of(part.members().begin(), part.members().end(), [&](const auto& m) {
      return whole.Has(m.name.text()) && JqContains(whole.Get(m.name), m.value, ok);
    });
  if (whole.type() != part.type()) *ok = false;
  return whole == part;
}

class JqRun {
 public:
  // Appends what the node makes of the input; false: it failed.
  bool Eval(const JqNode& node, const Jq::Output& in, Outputs* out) {
    switch (node.kind) {
      case JqNode::Kind::kIdentity:
        out->push_back(in);
        return true;
      case JqNode::Kind::kLiteral:
        out->emplace_back(node.literal, true);
        return true;
      case JqNode::Kind::kField:
        return Each(node.first(), in, [&](const Jq::Output& of) {
          return AddMember(of, Value::String(node.text), out);
        });
      case JqNode::Kind::kIndex:
        return Each(node.second(), in, [&](const Jq::Output& key) {
          return Each(node.first(), in,
                      [&](const Jq::Output& of) { return AddMember(of, key.value, out); });
        });
      case JqNode::Kind::kIterate:
        return Each(node.first(), in, [&](const Jq::Output& of) { return AddAllItems(of, out); });
      case JqNode::Kind::kTry:
        static_cast<void>(Eval(node.first(), in, out));
        return true;
      case JqNode::Kind::kArray:
        return AddArray(node, in, out);
      case JqNode::Kind::kPipe:
        return Each(node.first(), in,
                    [&](const Jq::Output& left) { return Eval(node.second(), left, out); });
      case JqNode::Kind::kComma:
        return Eval(node.first(), in, out) && Eval(node.second(), in, out);
      case JqNode::Kind::kAlternative:
        return AddAlternative(node, in, out);
      case JqNode::Kind::kOr:
      case JqNode::Kind::kAnd:
        return AddLogical(node, in, out);
      case JqNode::Kind::kCompare:
        return AddComparison(node, in, out);
      case JqNode::Kind::kCall:
        return Call(node, in, out);
    }
    return false;
  }

 private:
  template <typename F>
  bool Each(const JqNode& node, const Jq::Output& in, F f) {
    Outputs all;
    if (!Eval(node, in, &all)) return false;
    return std::all_of(all.begin(), all.end(), f);
  }

  static bool AddMember(const Jq::Output& of, const Value& key, Outputs* out) {
    if (of.value.is_null() && (key.is_string() || key.is_int())) {
      out->emplace_back(Value(), of.computed);
      return true;
    }
    if (of.value.is_object() && key.is_string()) {
      out->emplace_back(of.value.Get(key.AsString()), of.computed);
      return true;
    }
    if (!of.value.is_array() || !key.is_int()) return false;
    const auto size = static_cast<std::int64_t>(of.value.size());
    const std::int64_t i = key.AsInt() < 0 ? key.AsInt() + size : key.AsInt();
    const bool inside = i >= 0 && i < size;
    out->emplace_back(inside ? of.value.at(static_cast<std::size_t>(i)) : Value(), of.computed);
    return true;
  }

  static bool AddAllItems(const Jq::Output& of, Outputs* out) {
    if (!of.value.is_array() && !of.value.is_object()) return false;
    for (const Value& item : of.value.items()) out->emplace_back(item, of.computed);
    for (const Value::Member& m : of.value.members()) out->emplace_back(m.value, of.computed);
    return true;
  }

  bool AddArray(const JqNode& node, const Jq::Output& in, Outputs* out) {
    Outputs all;
    if (!node.children.empty() && !Eval(node.first(), in, &all)) return false;
    std::vector<Value> items;
    bool computed = true;
    for (Jq::Output& o : all) {
      computed = computed && o.computed;
      items.push_back(std::move(o.value));
    }
    out->emplace_back(Value::Array(std::move(items)), computed);
    return true;
  }

  // All true outputs of the first, errors left out; those of the second if there are none.
  bool AddAlternative(const JqNode& node, const Jq::Output& in, Outputs* out) {
    Outputs all;
    static_cast<void>(Eval(node.first(), in, &all));
    std::erase_if(all, [](const Jq::Output& o) { return !IsTrueToJq(o.value); });
    if (all.empty()) return Eval(node.second(), in, out);
    out->insert(out->end(), all.begin(), all.end());
    return true;
  }

  bool AddLogical(const JqNode& node, const Jq::Output& in, Outputs* out) {
    const bool decides = node.kind == JqNode::Kind::kOr;  // this value of the first
    return Each(node.first(), in, [&](const Jq::Output& left) {
      if (IsTrueToJq(left.value) == decides) {
        out->emplace_back(Value::Bool(decides), true);
        return true;
      }
      return Each(node.second(), in, [&](const Jq::Output& right) {
        out->emplace_back(Value::Bool(IsTrueToJq(right.value)), true);
        return true;
      });
    });
  }

  bool AddComparison(const JqNode& node, const Jq::Output& in, Outputs* out) {
    return Each(node.second(), in, [&](const Jq::Output& right) {
      return Each(node.first(), in, [&](const Jq::Output& left) {
        const std::string& op = node.text;
        const std::optional<int> order = JqCompare(left.value, right.value);
        if (!order && op != "==" && op != "!=") return false;
        const bool holds = op == "=="   ? order == 0
                           : op == "!=" ? order != 0
                           : op == "<"  ? *order < 0
                           : op == "<=" ? *order <= 0
                           : op == ">"  ? *order > 0
                                        : *order >= 0;
        out->emplace_back(Value::Bool(holds), true);
        return true;
      });
    });
  }

  bool Call(const JqNode& node, const Jq::Output& in, Outputs* out) {
    const std::string& name = node.text;
    if (name == "empty") return true;
    if (name == "select")
      return Each(node.first(), in, [&](const Jq::Output& o) {
        if (IsTrueToJq(o.value)) out->push_back(in);
        return true;
      });
    if (name == "map") {
      if (!in.value.is_array() && !in.value.is_object()) return false;
      Outputs items;
      AddAllItems(in, &items);
      std::vector<Value> mapped;
      for (const Jq::Output& item : items) {
        const bool good = Each(node.first(), item, [&](const Jq::Output& o) {
          mapped.push_back(o.value);
          return true;
        });
        if (!good) return false;
      }
      out->emplace_back(Value::Array(std::move(mapped)), in.computed);
      return true;
    }
    if (name == "any" || name == "all") return AddAnyOrAll(node, in, out);
    if (name == "first" && !node.children.empty()) {
      Outputs all;
      if (!Eval(node.first(), in, &all) && all.empty()) return false;
      if (!all.empty()) out->push_back(all.front());
      return true;
    }
    if (node.children.empty()) return Simple(name, in, out);
    return Each(node.first(), in, [&](const Jq::Output& argument) {
      return WithArgument(name, in.value, argument.value, out);
    });
  }

  bool AddAnyOrAll(const JqNode& node, const Jq::Output& in, Outputs* out) {
    Outputs items;
    if (!AddAllItems(in, &items)) return false;
    const bool any = node.text == "any";
    bool result = !any;
    for (const Jq::Output& item : items) {
      Outputs judged;
      if (node.children.empty())
        judged.push_back(item);
      else if (!Eval(node.first(), item, &judged))
        return false;
      for (const Jq::Output& o : judged)
        if (IsTrueToJq(o.value) == any) result = any;
    }
    out->emplace_back(Value::Bool(result), true);
    return true;
  }

  static bool Simple(const std::string& name, const Jq::Output& in, Outputs* out) {
    const Value& v = in.value;
    const auto add = [&](Value made) {
      out->emplace_back(std::move(made), true);
      return true;
    };
    if (name == "not") return add(Value::Bool(!IsTrueToJq(v)));
    if (name == "type") return add(Value::Of(v.is_number() ? "number" : v.type_name()));
    if (name == "length") return AddLength(v, out);
    if (name == "tostring") return add(v.is_string() ? v : Value::String(value::ToJson(v)));
    if (name == "tonumber") {
      if (v.is_number()) return add(v);
      const std::optional<std::int64_t> number = value::ParseGoInt(v.AsString());
      return v.is_string() && number && add(Value::Int(*number));
    }
    if (name == "ascii_downcase") {
      std::string text(v.AsString());
      for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      return v.is_string() && add(Value::String(text));
    }
    if (name == "keys") {
      std::vector<Value> keys;
      for (const Value::Member& m : v.members()) keys.push_back(Value::Of(m.name.text()));
      for (std::size_t i = 0; v.is_array() && i < v.size(); ++i)
        keys.push_back(Value::Int(static_cast<std::int64_t>(i)));
      return (v.is_object() || v.is_array()) && add(Value::Array(std::move(keys)));
    }
    // first, last
    return AddMember(in, Value::Int(name == "first" ? 0 : -1), out);
  }

  static bool AddLength(const Value& v, Outputs* out) {
    std::int64_t length = 0;
    if (v.is_bool() || v.is_double()) return false;
    if (v.is_int() && v.AsInt() == std::numeric_limits<std::int64_t>::min()) return false;
    if (v.is_int()) length = v.AsInt() < 0 ? -v.AsInt() : v.AsInt();
    if (v.is_array() || v.is_object()) length = static_cast<std::int64_t>(v.size());
    if (v.is_string()) {
      const std::string_view text = v.AsString();
      length = std::count_if(text.begin(), text.end(), value::StartsCodePoint);
    }
    out->emplace_back(Value::Int(length), true);
    return true;
  }

  static bool WithArgument(const std::string& name, const Value& v, const Value& argument,
                           Outputs* out) {
    bool result = false, ok = true;
    if (name == "has") {
      if (v.is_object() && argument.is_string()) {
        result = v.Has(argument.AsString());
      } else if (v.is_array() && argument.is_int()) {
        result = argument.AsInt() >= 0 && argument.AsInt() < static_cast<std::int64_t>(v.size());
      } else {
        ok = false;
      }
    } else if (name == "contains") {
      result = JqContains(v, argument, &ok);
    } else {
      ok = v.is_string() && argument.is_string();
      result = ok && (name == "startswith" ? v.AsString().starts_with(argument.AsString())
                                           : v.AsString().ends_with(argument.AsString()));
    }
    if (ok) out->emplace_back(Value::Bool(result), true);
    return ok;
  }
};

// Appends the first two fields of each path that begins at the pod; `other`: something else does.
void CollectPaths(const JqNode& node, std::vector<std::vector<std::string>>* paths, bool* other) {
  switch (node.kind) {
    case JqNode::Kind::kLiteral:
      return;
    case JqNode::Kind::kIdentity:
      *other = true;
      return;
    case JqNode::Kind::kField: {
      if (node.first().kind == JqNode::Kind::kIdentity) {
        paths->push_back({node.text});
        return;
      }
      const std::size_t before = paths->size();
      CollectPaths(node.first(), paths, other);
      // A second field settles what is looked at; the third and further ones say no more.
      if (paths->size() == before + 1 && paths->back().size() == 1 &&
          node.first().kind == JqNode::Kind::kField)
        paths->back().push_back(node.text);
      return;
    }
    case JqNode::Kind::kPipe:
      if (node.first().kind == JqNode::Kind::kIdentity) {
        CollectPaths(node.second(), paths, other);
      } else {
        CollectPaths(node.first(), paths, other);
      }
      return;
    case JqNode::Kind::kCall:
      // A function may make anything of the whole pod.
      *other = true;
      return;
    default:
      for (const auto& child : node.children)
        if (child != nullptr) CollectPaths(*child, paths, other);
  }
}

}  // namespace

std::vector<Jq::Output> Jq::Run(const Value& input) const {
  Outputs out;
  if (!JqRun().Eval(*root_, Output(input, false), &out)) return {};
  std::erase_if(out, [](const Output& o) { return o.value.is_null(); });
  return out;
}

bool Jq::IsOfIdentity() const {
  static constexpr std::string_view kOfMetadata[] = {
      "annotations", "creationTimestamp", "generateName",    "labels",
      "name",        "namespace",         "ownerReferences", "uid"};
  std::vector<std::vector<std::string>> paths;
  bool other = false;
  CollectPaths(*root_, &paths, &other);
  if (other) return false;
  return std::all_of(paths.begin(), paths.end(), [](const std::vector<std::string>& path) {
    if (path[0] == "spec") return true;
    return path[0] == "metadata" && path.size() > 1 &&
           std::find(std::begin(kOfMetadata), std::end(kOfMetadata), path[1]) !=
               std::end(kOfMetadata);
  });
}

}  // namespace ksim::kubelet
