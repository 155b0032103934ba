// The policy that the labels of a namespace ask for: which level of the Pod Security Standards is
// enforced, audited and warned of, each of which version.
//
// Source: k8s.io/pod-security-admission api/helpers.go PolicyToEvaluate, CompareLevels.
#pragma once
#include <cstdint>
#include <string>

#include "ksim/api/compat.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::apiserver::podsecurity {

inline constexpr std::string_view kPrefix = "pod-security.kubernetes.io/";

// By strictness.
enum class Level : std::uint8_t { kPrivileged, kBaseline, kRestricted };

struct LevelVersion {
  LevelVersion() = default;
  Level level = Level::kPrivileged;
  int minor = kLatest;  // of v1.MINOR
  static constexpr int kLatest = -1;
  std::string ToString() const;  // baseline:latest, restricted:v1.25
  friend bool operator==(const LevelVersion&, const LevelVersion&) = default;
};

struct Policy {
  Policy() = default;
  LevelVersion enforce, audit, warn;
  bool IsFullyPrivileged() const;
};

// Whether any label is about it.
bool HasLabels(const value::Value& labels);
// Errors of labels go to `errors`; what cannot be read enforces restricted, and audits and warns of
// nothing.
Policy PolicyOf(const value::Value& labels, api::FieldErrorList* errors);

}  // namespace ksim::apiserver::podsecurity
