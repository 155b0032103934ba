// Invariant: what somebody who writes a controller says must hold of objects, as data: which
// objects, when it must hold, and the expression of CEL that says what. Scenarios list invariants
// (spec.invariants); check/invariants/ judges them over a run or a trace.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ksim/base/diagnostic.h"
#include "ksim/base/time.h"

namespace ksim::check {

enum class InvariantKind : std::uint8_t {
  kAlways,      // true after each write of one of the objects
  kNever,       // false after each
  kEventually,  // true once
  kFinally,     // true when the run is over
  kLeadsTo,     // whenever `expression` is true, `then` is within the time
  kStable,      // at most `writes` writes once `after` has passed since the last step and fault
};
std::string_view ToString(InvariantKind kind);  // "always" ... "stable"

struct Invariant {
  Invariant() = default;
  std::string name;  // a DNS label; violations are those of the oracle invariant.NAME

  // The objects. Empty: any.
  std::string resource;  // as commits name it: configmaps
  std::string group;     // of a custom resource: example.dev; "" of one of Kubernetes' own
  std::string ns;
  std::string object;    // one object, by its name
  std::string selector;  // of labels

  InvariantKind kind = InvariantKind::kAlways;
  std::string expression;          // of all kinds but stable; of leadsTo its `when`
  std::string then;                // leadsTo
  std::optional<Duration> within;  // leadsTo; nothing: when nothing is left to do in the run
  std::int64_t writes = 0;         // stable
  Duration after;                  // stable
  std::string by;                  // stable: only the writes of this actor; "" = of all

  Span span;  // where a file says it
};

}  // namespace ksim::check
