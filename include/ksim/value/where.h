// Where: the conditions of scenario files, `PATH OP VALUE [&& ...]`.
//
//   status.phase == Running
//   status.conditions[type=Ready].status == "True" && spec.nodeName exists
//   metadata.labels['app.kubernetes.io/name'] in (web, "my api")
//
// OP is one of == != < <= > >= exists in. VALUE is a YAML scalar. A number at the path is
// compared with a number as a number; a text with VALUE as it is written (so `== True` holds for
// the text "True" and for the boolean true); any other value by its JSON text, bytewise. A missing
// path makes every comparison but != false; a null counts as present.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/value/value.h"

namespace ksim::value {

class Where {
 public:
  enum class Op : std::uint8_t { kEq, kNe, kLt, kLe, kGt, kGe, kExists, kIn };
  struct Operand {
    Operand() = default;
    Value value;       // by the core schema
    std::string text;  // as written, without quotes
  };
  struct Term {
    Term() = default;
    Path path;
    Op op = Op::kExists;
    std::vector<Operand> operands;  // none for exists, one or more for in
    bool Matches(const Value& tree) const;
  };

  Where() = default;  // always true
  // InvalidArgument says "column C: what", columns in code points.
  static absl::StatusOr<Where> Parse(std::string_view text);
  bool Matches(const Value& tree) const;
  std::string ToString() const;
  const std::vector<Term>& terms() const { return terms_; }

 private:
  std::vector<Term> terms_;
};

}  // namespace ksim::value
