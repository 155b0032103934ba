// Hand-made traces that read like scripts.
#pragma once
#include <map>
#include <string>

#include "ksim/trace/changes.h"
#include "ksim/trace/trace.h"
#include "ksim/value/diff.h"
#include "ksim/value/json.h"

namespace ksim::trace {

inline value::Value Json(std::string_view text) {
  absl::StatusOr<value::Value> v = value::ParseJson(text);
  return v.ok() ? *v : value::Value::Of("BAD JSON");
}

// Builds a trace event by event.
class TraceBuilder {
 public:
  TraceBuilder() {
    trace.header.ksim_version = "0.1.0";
    trace.header.compat = "1.30";
    trace.header.seed = 7;
    trace.header.scenario = Json(R"({"kind":"Scenario"})");
  }

  // Fields as JSON; returns the seq.
  std::uint64_t Event(std::int64_t t, std::string actor, sim::EventKind kind, std::uint64_t cause,
                      std::string_view fields) {
    Record r;
    r.seq = trace.events.size() + 1;
    r.t = t;
    r.actor = std::move(actor);
    r.kind = kind;
    r.cause = cause;
    const value::Value tree = Json(fields);
    for (const value::Value::Member& m : tree.members()) r.fields.push_back(m);
    trace.events.push_back(std::move(r));
    return trace.events.back().seq;
  }

  // A commit that changes the object from its last state to `after` (null: deletion).
  std::uint64_t Commit(std::int64_t t, std::uint64_t cause, std::string resource, std::string name,
                       std::string_view after_json, std::int64_t rv, std::string by = "kubectl") {
    value::Value& now = objects_[resource + "/" + name];
    const value::Value after = after_json.empty() ? value::Value() : Json(after_json);
    const std::string op = after.is_null() ? "delete" : now.is_null() ? "create" : "update";
    Record r;
    r.seq = trace.events.size() + 1;
    r.t = t;
    r.actor = "etcd";
    r.kind = sim::EventKind::kCommit;
    r.cause = cause;
    r.Add("revision", value::Value::Of(rv)).Add("op", value::Value::Of(op));
    r.Add("resource", value::Value::Of(resource)).Add("namespace", value::Value::Of("default"));
    r.Add("name", value::Value::Of(name)).Add("rv", value::Value::Of(rv));
    r.Add("by", value::Value::Of(by));
    r.Add("changed", ChangesToTree(value::Diff(now, after)));
    now = after;
    trace.events.push_back(std::move(r));
    return trace.events.back().seq;
  }

  Trace Finish(std::string digest) {
    End end;
    end.events = trace.events.size();
    end.time = trace.events.empty() ? 0 : trace.events.back().t;
    end.digest = std::move(digest);
    end.result = "ok";
    trace.end = end;
    return std::move(trace);
  }

  Trace trace;

 private:
  std::map<std::string, value::Value> objects_;
};

inline Trace Copy(const Trace& t) {
  absl::StatusOr<Trace> copy = ParseTrace(FormatTrace(t, false));
  return copy.ok() ? *std::move(copy) : Trace();
}

}  // namespace ksim::trace
