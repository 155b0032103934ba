// The first and the last line of a trace.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/sim/decisions.h"
#include "ksim/value/value.h"

namespace ksim::trace {

inline constexpr int kTraceVersion = 1;
inline constexpr std::string_view kModeProgram = "program";

// A program that brings controllers or kinds of its own (ksim/registry.h); name "": ksim itself.
struct Program {
  Program() = default;
  std::string name, version;
  std::string registry;  // the hash of what it brings
};

// All that is needed to repeat the run.
struct Header {
  Header() = default;
  std::int64_t version = kTraceVersion;
  std::string ksim_version;
  std::string compat;
  std::uint64_t seed = 1;
  std::string strategy = "nominal";
  std::uint64_t strategy_seed = 1;
  value::Value strategy_params = value::Value::EmptyObject();
  // run, fuzz, or kModeProgram: ksim::Cluster in a program, which alone can run it again.
  std::string mode = "run";
  value::Value scenario;  // scenario/scenario.h ToTree
  std::vector<sim::Override> overrides;
  // The controllers beside ksim's own, which whoever made the trace has linked.
  std::vector<std::string> own_controllers;
  std::vector<std::string> own_oracles;  // the same of oracles
  Program program;
};

struct Violation {
  Violation() = default;
  std::string oracle;
  std::string message;
  std::vector<std::string> objects;  // resource/namespace/name
  std::uint64_t first = 0;           // seq of the event that made it so
};

// How the run ended. A trace without it is cut short.
struct End {
  End() = default;
  std::uint64_t events = 0;
  std::int64_t time = 0;  // virtual ns
  std::string digest;     // 32 hex digits
  std::string state;      // of the final objects without uids and resource versions
  std::string result;     // ok, violation, limit, interrupted
  std::vector<Violation> violations;
  std::vector<sim::Decision> decisions;  // non-zero answers really given
  std::vector<sim::Override> unapplied;  // overrides never asked for
  std::vector<std::string> judged;
  std::vector<std::pair<std::string, std::string>> not_judged;  // oracle, why
};

std::string ToJsonLine(const Header& header);
std::string ToJsonLine(const End& end);
// InvalidArgument says what is wrong.
absl::StatusOr<Header> ParseHeader(const value::Value& line);
absl::StatusOr<End> ParseEnd(const value::Value& line);  // of {"end":{...}}

value::Value ToTree(const Violation& violation);

}  // namespace ksim::trace
