#include "ksim/kubelet/stages/template_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "ksim/base/version.h"
#include "ksim/kubelet/stages/sprig_functions.h"
#include "ksim/value/go_format.h"
#include "ksim/value/json.h"
#include "ksim/value/text.h"
#include "ksim/value/yaml.h"

namespace ksim::kubelet {
namespace {
namespace gotpl {

using value::Value;

// basicKind of text/template funcs.go.
enum class BasicKind { kInvalid, kBool, kInt, kFloat, kString, kOther };
BasicKind BasicKindOf(const Datum& d) {
  if (d.missing || d.value.is_null()) return BasicKind::kInvalid;
  if (d.value.is_bool()) return BasicKind::kBool;
  if (d.value.is_string() || (d.of_object && d.value.is_number())) return BasicKind::kString;
  if (d.value.is_int()) return BasicKind::kInt;
  return d.value.is_double() ? BasicKind::kFloat : BasicKind::kOther;
}

std::string StringOfBasic(const Datum& d) {
  return d.value.is_string() ? std::string(d.value.AsString()) : value::ToJson(d.value);
}

// eq of two arguments; nullopt and call.error if they cannot be compared.
std::optional<bool> AreEqual(TemplateCall& call, const Datum& a, const Datum& b) {
  const BasicKind ka = BasicKindOf(a), kb = BasicKindOf(b);
  if (ka != kb) {
    if (ka == BasicKind::kInvalid || kb == BasicKind::kInvalid) return false;
    call.error = "incompatible types for comparison";
    return std::nullopt;
  }
  if (ka == BasicKind::kInvalid) return true;
  if (ka == BasicKind::kOther) {
    call.error = "non-comparable types";
    return std::nullopt;
  }
  if (ka == BasicKind::kString) return StringOfBasic(a) == StringOfBasic(b);
  return a.value == b.value;
}

// lt: -1, 0 or 1; nullopt and call.error if they have no order.
std::optional<int> OrderOf(TemplateCall& call) {
  const Datum &a = call.arguments[0], &b = call.arguments[1];
  const BasicKind ka = BasicKindOf(a), kb = BasicKindOf(b);
  const auto sign = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
  const bool basic =
      std::min(ka, kb) != BasicKind::kInvalid && std::max(ka, kb) != BasicKind::kOther;
  if (basic && ka != kb) {
    call.error = "incompatible types for comparison";
    return std::nullopt;
  }
  if (ka == BasicKind::kString && basic) return sign(StringOfBasic(a), StringOfBasic(b));
  if (ka == BasicKind::kInt && basic) return sign(a.value.AsInt(), b.value.AsInt());
  call.error = "invalid type for comparison";
  return std::nullopt;
}

void SetBool(TemplateCall& call, bool b) { call.result = Datum(Value::Bool(b)); }

void Eq(TemplateCall& call) {
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    const std::optional<bool> equal = AreEqual(call, call.arguments[0], call.arguments[i]);
    if (!equal) return;
    SetBool(call, *equal);
    if (*equal) return;
  }
}
void Ne(TemplateCall& call) {
  const std::optional<bool> equal = AreEqual(call, call.arguments[0], call.arguments[1]);
  if (equal) SetBool(call, !*equal);
}
void Lt(TemplateCall& call) {
  if (const auto order = OrderOf(call)) SetBool(call, *order < 0);
}
void Le(TemplateCall& call) {
  if (const auto order = OrderOf(call)) SetBool(call, *order <= 0);
}
void Gt(TemplateCall& call) {
  if (const auto order = OrderOf(call)) SetBool(call, *order > 0);
}
void Ge(TemplateCall& call) {
  if (const auto order = OrderOf(call)) SetBool(call, *order >= 0);
}
void Not(TemplateCall& call) { SetBool(call, !IsTrueToTemplate(call.arguments[0])); }

// A running template never calls these: or and and look at their arguments one by one.
void AndOr(TemplateCall&) {}

// One step of index; false: call.error says why.
bool IndexOnce(TemplateCall& call, Datum* of, const Datum& key) {
  const Value v = of->value;
  if (of->missing || v.is_null()) {
    call.error = "index of untyped nil";
    return false;
  }
  if (v.is_object()) {
    if (!key.value.is_string()) {
      call.error = fmt::format("value has type {}; should be string", TemplateTypeName(key));
      return false;
    }
    of->value = v.Get(key.value.AsString());
    return true;
  }
  if (!v.is_array()) {
    call.error = fmt::format("can't index item of type {}", TemplateTypeName(*of));
    return false;
  }
  if (!key.value.is_int() || key.of_object) {
    call.error = fmt::format("cannot index slice/array with type {}", TemplateTypeName(key));
    return false;
  }
  const std::int64_t i = key.value.AsInt();
  if (i < 0 || i >= static_cast<std::int64_t>(v.size())) {
    call.error = fmt::format("index out of range: {}", i);
    return false;
  }
  of->value = v.at(static_cast<std::size_t>(i));
  return true;
}

void Index(TemplateCall& call) {
  call.result = call.arguments[0];
  for (std::size_t i = 1; i < call.arguments.size(); ++i)
    if (!IndexOnce(call, &call.result, call.arguments[i])) return;
}

void Len(TemplateCall& call) {
  const Datum& d = call.arguments[0];
  const Value& v = d.value;
  if (d.missing || v.is_null() || v.is_bool() || v.is_number()) {
    call.error = fmt::format("len of type {}", TemplateTypeName(d));
    return;
  }
  const std::size_t length = v.is_string() ? v.AsString().size() : v.size();
  call.result = Datum(Value::Int(static_cast<std::int64_t>(length)));
}

// fmt.Sprint: a space between two operands neither of which is a string.
std::string Sprint(const std::vector<Datum>& arguments, bool line) {
  std::string out;
  bool text_before = true;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool text = arguments[i].value.is_string();
    if (i > 0 && (line || (!text && !text_before))) out += ' ';
    out += arguments[i].missing ? "<nil>" : PrintedByTemplate(arguments[i]);
    text_before = text;
  }
  return line ? out + "\n" : out;
}
void Print(TemplateCall& call) { call.result = Datum(Value::Of(Sprint(call.arguments, false))); }
void Println(TemplateCall& call) { call.result = Datum(Value::Of(Sprint(call.arguments, true))); }

// One verb of printf: %s %v %q %d %t, and %0Nd; "" and call.error for others.
std::string Verb(TemplateCall& call, std::string_view verb, const Datum& argument) {
  const char kind = verb.back();
  const std::string_view width = verb.substr(0, verb.size() - 1);
  const bool number = argument.value.is_int() && !argument.of_object;
  if (kind == 'd' && number) {
    const bool zeros = width.starts_with('0');
    const auto wide = static_cast<int>(value::ParseGoInt(width.empty() ? "0" : width).value_or(0));
    return zeros ? fmt::format("{:0{}}", argument.value.AsInt(), std::min(wide, 64))
                 : fmt::format("{:{}}", argument.value.AsInt(), std::min(wide, 64));
  }
  if (width.empty() && kind == 't' && argument.value.is_bool()) return PrintedByTemplate(argument);
  if (width.empty() && kind == 'v') return argument.missing ? "<nil>" : PrintedByTemplate(argument);
  const bool text = BasicKindOf(argument) == BasicKind::kString;
  if (width.empty() && kind == 's' && text) return StringOfBasic(argument);
  if (width.empty() && kind == 'q' && text) return value::GoQuote(StringOfBasic(argument));
  call.error = fmt::format("%{} of a value of type {} is not written here", verb,
                           TemplateTypeName(argument));
  return "";
}

void Printf(TemplateCall& call) {
  const std::string format = call.Text(0);
  std::string out;
  std::size_t next = 1;
  for (std::size_t i = 0; call.error.empty() && i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    if (format.substr(i + 1).starts_with("%")) {
      out += format[++i];
      continue;
    }
    const std::size_t start = ++i;
    while (i < format.size() && value::IsDigit(format[i])) ++i;
    if (i >= format.size() || next >= call.arguments.size()) {
      call.error = "the format has a verb without an argument";
      return;
    }
    out +=
        Verb(call, std::string_view(format).substr(start, i + 1 - start), call.arguments[next++]);
  }
  if (next < call.arguments.size()) call.error = "the format has fewer verbs than arguments";
  call.result = Datum(Value::Of(out));
}

// --- KWOK's own ------------------------------------------------------------------------------

void Quote(TemplateCall& call) {
  const std::string json = value::GoJson(call.arguments[0].value);
  call.result = Datum(Value::Of(json.starts_with('"') ? json : value::GoQuote(json)));
}

void Yaml(TemplateCall& call) {
  std::string text = value::ToYaml(call.arguments[0].value);
  if (!text.ends_with('\n')) text += '\n';
  const std::int64_t indent = call.arguments.size() > 1 ? call.Number(1) : 0;
  if (indent > 0) {
    const std::string pad(static_cast<std::size_t>(std::min<std::int64_t>(indent, 64) * 2), ' ');
    std::string padded = "\n" + pad;
    for (const char c : text) {
      padded += c;
      if (c == '\n') padded += pad;
    }
    text = std::move(padded);
  }
  call.result = Datum(Value::Of(text));
}

void SetText(TemplateCall& call, std::string_view text) { call.result = Datum(Value::Of(text)); }

void Now(TemplateCall& call) { SetText(call, call.world.now); }
void StartTime(TemplateCall& call) { SetText(call, call.world.start_time); }
void Version(TemplateCall& call) { SetText(call, ksim::Version()); }
void NodeIp(TemplateCall& call) { SetText(call, call.world.node_ip); }
void PodIp(TemplateCall& call) { SetText(call, call.world.pod_ip()); }
void NodeIpWith(TemplateCall& call) {
  call.Text(0);
  SetText(call, call.world.node_ip);
}
void NodeIpsWith(TemplateCall& call) {
  call.Text(0);
  call.result = Datum(value::Arr({Value::Of(call.world.node_ip)}));
}

// The arguments of PodIPWith and PodIPsWith: node, whether on the host's network, uid, name,
// namespace.
std::string PodIpOf(TemplateCall& call) {
  for (const std::size_t i : {0u, 2u, 3u, 4u}) call.Text(i);
  const Datum& host = call.arguments[1];
  if (!host.value.is_bool() && call.error.empty())
    call.error = fmt::format("wrong type for value; expected bool; got {}", TemplateTypeName(host));
  if (!call.error.empty()) return "";
  return host.value.AsBool() ? call.world.node_ip : call.world.pod_ip();
}
void PodIpWith(TemplateCall& call) { SetText(call, PodIpOf(call)); }
void PodIpsWith(TemplateCall& call) { call.result = Datum(value::Arr({Value::Of(PodIpOf(call))})); }

Value NodeCondition(const char* type, const char* status, const char* reason, const char* message) {
  return value::Obj({{"type", Value::Of(type)},
                     {"status", Value::Of(status)},
                     {"reason", Value::Of(reason)},
                     {"message", Value::Of(message)},
                     {"lastHeartbeatTime", Value()},
                     {"lastTransitionTime", Value()}});
}
void NodeConditions(TemplateCall& call) {
  call.result = Datum(
      value::Arr({NodeCondition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
                  NodeCondition("MemoryPressure", "False", "KubeletHasSufficientMemory",
                                "kubelet has sufficient memory available"),
                  NodeCondition("DiskPressure", "False", "KubeletHasNoDiskPressure",
                                "kubelet has no disk pressure"),
                  NodeCondition("PIDPressure", "False", "KubeletHasSufficientPID",
                                "kubelet has sufficient PID available"),
                  NodeCondition("NetworkUnavailable", "False", "RouteCreated",
                                "RouteController created a route")}));
}

}  // namespace gotpl

constexpr TemplateFunction kTemplateFunctions[] = {{"NodeConditions", 0, 0, gotpl::NodeConditions},
                                                   {"NodeIP", 0, 0, gotpl::NodeIp},
                                                   {"NodeIPWith", 1, 1, gotpl::NodeIpWith},
                                                   {"NodeIPsWith", 1, 1, gotpl::NodeIpsWith},
                                                   {"Now", 0, 0, gotpl::Now},
                                                   {"PodIP", 0, 0, gotpl::PodIp},
                                                   {"PodIPWith", 5, 5, gotpl::PodIpWith},
                                                   {"PodIPsWith", 5, 5, gotpl::PodIpsWith},
                                                   {"Quote", 1, 1, gotpl::Quote},
                                                   {"StartTime", 0, 0, gotpl::StartTime},
                                                   {"Version", 0, 0, gotpl::Version},
                                                   {"YAML", 1, 2, gotpl::Yaml},
                                                   {"and", 1, -1, gotpl::AndOr},
                                                   {"eq", 2, -1, gotpl::Eq},
                                                   {"ge", 2, 2, gotpl::Ge},
                                                   {"gt", 2, 2, gotpl::Gt},
                                                   {"index", 1, -1, gotpl::Index},
                                                   {"le", 2, 2, gotpl::Le},
                                                   {"len", 1, 1, gotpl::Len},
                                                   {"lt", 2, 2, gotpl::Lt},
                                                   {"ne", 2, 2, gotpl::Ne},
                                                   {"not", 1, 1, gotpl::Not},
                                                   {"or", 1, -1, gotpl::AndOr},
                                                   {"print", 0, -1, gotpl::Print},
                                                   {"printf", 1, -1, gotpl::Printf},
                                                   {"println", 0, -1, gotpl::Println}};

}  // namespace

std::string TemplateCall::Text(std::size_t i) {
  const Datum& d = arguments[i];
  if (d.value.is_string()) return std::string(d.value.AsString());
  if (error.empty())
    error = fmt::format("wrong type for value; expected string; got {}", TemplateTypeName(d));
  return "";
}

// cast.ToInt64, which takes 0 for what is no number.
std::int64_t TemplateCall::Number(std::size_t i) {
  const value::Value& v = arguments[i].value;
  if (v.is_int()) return v.AsInt();
  if (v.is_bool()) return v.AsBool() ? 1 : 0;
  if (v.is_double() && error.empty()) error = "of numbers only whole ones are counted with here";
  return value::ParseGoInt(v.AsString()).value_or(0);
}

const TemplateFunction* FindTemplateFunction(std::string_view name) {
  const auto* it = std::find_if(std::begin(kTemplateFunctions), std::end(kTemplateFunctions),
                                [&](const TemplateFunction& f) { return f.name == name; });
  return it == std::end(kTemplateFunctions) ? FindSprigFunction(name) : it;
}

std::vector<std::string_view> TemplateFunctionNames() {
  std::vector<std::string_view> out;
  for (const TemplateFunction& f : kTemplateFunctions) out.push_back(f.name);
  AppendSprigFunctionNames(&out);
  return out;
}

bool IsTrueToTemplate(const Datum& d) {
  const value::Value& v = d.value;
  if (d.missing || v.is_null()) return false;
  if (v.is_bool()) return v.AsBool();
  if (v.is_number()) return d.of_object || (v.is_int() ? v.AsInt() != 0 : v.AsDouble() != 0);
  return v.is_string() ? !v.AsString().empty() : !v.empty();
}

std::string PrintedByTemplate(const Datum& d) {
  if (d.missing) return "<no value>";
  return d.value.is_string() ? std::string(d.value.AsString()) : value::GoFormat(d.value);
}

std::string_view TemplateTypeName(const Datum& d) {
  if (d.missing || d.value.is_null()) return "nil";
  if (d.value.is_number() && d.of_object) return "json.Number";
  return value::GoTypeName(d.value);
}

}  // namespace ksim::kubelet
