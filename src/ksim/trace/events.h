// The payloads of the events that no layer below emits: `step`, `phase`, `actor` (scenario/),
// `fault` (fault/), `violation` (check/, scenario/), `input` (serve/) and `log` (guest/).
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ksim/sim/bus.h"
#include "ksim/trace/header.h"
#include "ksim/value/value.h"

namespace ksim::trace {

// One step of the scenario, as it begins and as it ends.
struct StepPayload : sim::Payload {
  std::uint64_t ContentHash() const override;
  std::int64_t number = 0;  // from 1, in file order
  std::string verb;         // create, scale, ...
  std::string target;       // replicasets.apps/my-replicaset
  value::Value args;        // what the step says, without objects
  bool begin = false;
  std::string result;  // at the end: what kubectl prints, "error: ..." if it failed
};

struct PhasePayload : sim::Payload {
  explicit PhasePayload(std::string n) : name(std::move(n)) {}
  std::uint64_t ContentHash() const override;
  std::string name;  // workload faults heal settle end
};

struct ActorPayload : sim::Payload {
  ActorPayload(std::string p, std::string s) : process(std::move(p)), state(std::move(s)) {}
  std::uint64_t ContentHash() const override;
  std::string process;
  std::string state;  // start stop kill lead lose
};

struct FaultPayload : sim::Payload {
  std::uint64_t ContentHash() const override;
  std::string id, verb, target;
  value::Value args;
  std::string plan;   // scripted drawn
  std::string state;  // begin end skipped
};

struct ViolationPayload : sim::Payload {
  explicit ViolationPayload(Violation v) : violation(std::move(v)) {}
  std::uint64_t ContentHash() const override;
  Violation violation;
};

// A deed of a client outside the simulation. Given again at the same times, the inputs of a
// run make the same run.
struct InputPayload : sim::Payload {
  std::uint64_t ContentHash() const override;
  std::string what;  // request gone pause resume fault heal
  std::int64_t connection = 0, stream = 0;
  std::string method, target;
  value::Value headers;  // those that matter to the server, by name
  std::string body;      // in base64 if it is no UTF-8
  bool base64 = false;
};

// A line that a program in the simulation wrote.
struct LogPayload : sim::Payload {
  std::uint64_t ContentHash() const override;
  std::string stream;  // stdout stderr host: what the program's host has to say
  std::string level;   // info warning error fatal debug, as far as the line says it
  std::string place;   // reconcile.go:57, the same
  std::string text;
};

}  // namespace ksim::trace
