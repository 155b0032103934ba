#include "ksim/trace/header.h"

#include <fmt/format.h>

#include "ksim/base/hash.h"
#include "ksim/base/status.h"
#include "ksim/value/json.h"

namespace ksim::trace {
namespace {

using value::Value;

std::string Quoted(std::string_view s) {
  std::string out;
  value::AppendJsonString(s, &out);
  return out;
}

template <class T, class F>
std::string List(const std::vector<T>& items, F text) {
  std::string out = "[";
  for (const T& item : items) {
    if (out.size() > 1) out += ',';
    out += text(item);
  }
  return out + "]";
}

// Overrides and decisions have the same shape.
template <class T>
std::string Answers(const std::vector<T>& list) {
  return List(list, [](const T& d) {
    return fmt::format("{{\"site\":{},\"key\":\"{}\",\"answer\":{}}}", Quoted(d.site), Hex(d.key),
                       d.answer);
  });
}

absl::StatusOr<std::uint64_t> ParseKey(std::string_view hex) {
  std::uint64_t key = 0;
  if (hex.empty() || hex.size() > 16) return absl::InvalidArgumentError("bad key");
  for (char c : hex) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return absl::InvalidArgumentError("bad key");
    key = key * 16 + static_cast<std::uint64_t>(digit);
  }
  return key;
}

template <class T>
absl::Status ParseAnswers(const Value& list, std::vector<T>* out) {
  for (const Value& item : list.items()) {
    ASSIGN_OR_RETURN(const std::uint64_t key, ParseKey(item.Get("key").AsString()));
    T answer;
    answer.site = std::string(item.Get("site").AsString());
    answer.key = key;
    answer.answer = static_cast<std::uint32_t>(item.Get("answer").AsInt());
    out->push_back(std::move(answer));
  }
  return absl::OkStatus();
}

std::string TextOf(const Value& v) { return std::string(v.AsString()); }

// Counts and seeds are written unsigned: one below zero would come back as another number.
bool IsNegative(const Value& v) { return v.is_int() && v.AsInt() < 0; }

}  // namespace

std::string ToJsonLine(const Header& h) {
  std::string out = fmt::format(
      "{{\"ksim\":\"trace\",\"version\":{},\"ksimVersion\":{},\"compat\":{},\"seed\":{},"
      "\"strategy\":{{\"name\":{},\"seed\":{},\"params\":{}}},\"mode\":{},\"scenario\":",
      h.version, Quoted(h.ksim_version), Quoted(h.compat), h.seed, Quoted(h.strategy),
      h.strategy_seed, value::ToJson(h.strategy_params), Quoted(h.mode));
  value::AppendJson(h.scenario, &out);
  out += ",\"overrides\":" + Answers(h.overrides);
  if (!h.own_controllers.empty()) out += ",\"ownControllers\":" + List(h.own_controllers, Quoted);
  if (!h.own_oracles.empty()) out += ",\"ownOracles\":" + List(h.own_oracles, Quoted);
  if (!h.program.name.empty())
    out +=
        fmt::format(",\"program\":{{\"name\":{},\"version\":{},\"registry\":{}}}",
                    Quoted(h.program.name), Quoted(h.program.version), Quoted(h.program.registry));
  return out + "}";
}

Value ToTree(const Violation& v) {
  std::vector<Value> objects;
  for (const std::string& o : v.objects) objects.push_back(Value::Of(o));
  return value::Obj({{"oracle", Value::Of(v.oracle)},
                     {"message", Value::Of(v.message)},
                     {"objects", Value::Array(std::move(objects))},
                     {"first", Value::Of(static_cast<std::int64_t>(v.first))}});
}

std::string ToJsonLine(const End& e) {
  const std::string violations = List(e.violations, [](const Violation& v) {
    return fmt::format("{{\"oracle\":{},\"message\":{},\"objects\":{},\"first\":{}}}",
                       Quoted(v.oracle), Quoted(v.message), List(v.objects, Quoted), v.first);
  });
  const std::string not_judged =
      List(e.not_judged, [](const std::pair<std::string, std::string>& n) {
        return fmt::format("{{\"oracle\":{},\"why\":{}}}", Quoted(n.first), Quoted(n.second));
      });
  return fmt::format(
      "{{\"end\":{{\"events\":{},\"time\":{},\"digest\":{},\"state\":{},\"result\":{},"
      "\"violations\":{},\"decisions\":{},\"unapplied\":{},\"judged\":{},\"notJudged\":{}}}}}",
      e.events, e.time, Quoted(e.digest), Quoted(e.state), Quoted(e.result), violations,
      Answers(e.decisions), Answers(e.unapplied), List(e.judged, Quoted), not_judged);
}

absl::StatusOr<Header> ParseHeader(const Value& line) {
  if (line.Get("ksim").AsString() != "trace")
    return absl::InvalidArgumentError("the first line is not that of a ksim trace");
  if (!line.Get("version").is_int() || !line.Get("scenario").is_object())
    return absl::InvalidArgumentError("the first line lacks version or scenario");
  if (IsNegative(line.Get("seed")) || IsNegative(line.Get("strategy").Get("seed")))
    return absl::InvalidArgumentError("a seed in the first line is negative");
  Header h;
  h.version = line.Get("version").AsInt();
  h.ksim_version = TextOf(line.Get("ksimVersion"));
  h.compat = TextOf(line.Get("compat"));
  h.seed = static_cast<std::uint64_t>(line.Get("seed").AsInt());
  h.strategy = TextOf(line.Get("strategy").Get("name"));
  h.strategy_seed = static_cast<std::uint64_t>(line.Get("strategy").Get("seed").AsInt());
  h.strategy_params = line.Get("strategy").Get("params");
  h.mode = TextOf(line.Get("mode"));
  h.scenario = line.Get("scenario");
  RETURN_IF_ERROR(ParseAnswers(line.Get("overrides"), &h.overrides));
  for (const Value& name : line.Get("ownControllers").items())
    h.own_controllers.push_back(TextOf(name));
  for (const Value& name : line.Get("ownOracles").items()) h.own_oracles.push_back(TextOf(name));
  const Value& program = line.Get("program");
  h.program.name = TextOf(program.Get("name"));
  h.program.version = TextOf(program.Get("version"));
  h.program.registry = TextOf(program.Get("registry"));
  return h;
}

absl::StatusOr<End> ParseEnd(const Value& line) {
  const Value& e = line.Get("end");
  if (!e.is_object()) return absl::InvalidArgumentError("not the last line of a trace");
  if (IsNegative(e.Get("events")))
    return absl::InvalidArgumentError("the number of events in the last line is negative");
  End end;
  end.events = static_cast<std::uint64_t>(e.Get("events").AsInt());
  end.time = e.Get("time").AsInt();
  end.digest = TextOf(e.Get("digest"));
  end.state = TextOf(e.Get("state"));
  end.result = TextOf(e.Get("result"));
  for (const Value& v : e.Get("violations").items()) {
    Violation violation;
    violation.oracle = TextOf(v.Get("oracle"));
    violation.message = TextOf(v.Get("message"));
    for (const Value& o : v.Get("objects").items()) violation.objects.push_back(TextOf(o));
    if (IsNegative(v.Get("first")))
      return absl::InvalidArgumentError("a violation's first event is negative");
    violation.first = static_cast<std::uint64_t>(v.Get("first").AsInt());
    end.violations.push_back(std::move(violation));
  }
  RETURN_IF_ERROR(ParseAnswers(e.Get("decisions"), &end.decisions));
  RETURN_IF_ERROR(ParseAnswers(e.Get("unapplied"), &end.unapplied));
  for (const Value& v : e.Get("judged").items()) end.judged.push_back(TextOf(v));
  for (const Value& v : e.Get("notJudged").items())
    end.not_judged.emplace_back(TextOf(v.Get("oracle")), TextOf(v.Get("why")));
  return end;
}

}  // namespace ksim::trace
