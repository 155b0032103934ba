// WaitCondition: one thing that `kubectl wait --for` waits for, and whether an object is so.
//
// Source: kubectl pkg/cmd/wait/{wait,condition,json}.go.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/api/compat.h"
#include "ksim/api/object.h"
#include "ksim/kubectl/profile.h"
#include "ksim/value/jsonpath.h"
#include "ksim/value/where.h"

namespace ksim::kubectl {

class WaitCondition {
 public:
  enum class Kind : std::uint8_t { kCreate, kDelete, kStatus, kPath, kWhere };

  // create, delete, condition=NAME[=VALUE], jsonpath={PATH}[=VALUE]. InvalidArgument with kubectl's
  // text, without "error: ".
  static absl::StatusOr<WaitCondition> Parse(std::string_view text, const Profile& profile);
  // ksim's own: the expression of a scenario.
  static WaitCondition Of(value::Where where);

  Kind kind() const { return kind_; }
  // Whether the object is as wanted; of create and delete, which look at no object, false.
  // InvalidArgument, with kubectl's text: it will never be, so that kubectl gives up.
  absl::StatusOr<bool> IsMet(const api::Object& object) const;

 private:
  static absl::StatusOr<WaitCondition> ParsePath(std::string_view text, const Profile& profile);
  bool HasCondition(const api::Object& object) const;
  absl::StatusOr<bool> HasValue(const api::Object& object) const;

  Kind kind_ = Kind::kWhere;
  std::string name_;        // kStatus: the type of the condition
  std::string value_;       // kStatus, kPath: the value to have
  bool any_value_ = false;  // kPath: whatever it is
  bool path_may_be_missing_ = true;
  value::JsonPath path_;
  value::Where where_;
};

// A condition as a shell hands it on: jsonpath='{.status.phase}'=Running without the single quotes.
std::string WithoutShellQuotes(std::string_view text);

struct ConditionProblem {
  std::string message, hint;
};
// The first problem that kubectl of the version has with these conditions.
std::optional<ConditionProblem> CheckConditions(const std::vector<std::string>& texts,
                                                api::Compat compat);

}  // namespace ksim::kubectl
