// Findings: what kube-openapi's validators report, and the field errors that a server makes of it.
//
// Sources: kube-openapi pkg/validation/errors/schema.go, pkg/validation/validate/result.go;
// apiextensions-apiserver pkg/apiserver/validation/validation.go kubeOpenAPIResultToFieldErrors.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

// errors.Validation and CompositeError.
struct Finding {
  enum class Kind : std::uint8_t {
    kComposite,  // of no field
    kType,
    kRequired,
    kTooLong,
    kEnum,
    kTooMany,
    kOther,
  };
  Finding(Kind k, std::string n, std::string m, value::Value v = value::Value::String(""))
      : kind(k), name(std::move(n)), message(std::move(m)), bad(std::move(v)) {}
  Kind kind;
  std::string name, message;
  value::Value bad;
  value::Value allowed;   // kEnum
  std::int64_t most = 0;  // kTooLong, kTooMany
};

// validate.Findings
struct Findings {
  std::vector<Finding> errors;
  int matches = 0;

  bool valid() const { return errors.empty(); }
  void Add(Finding finding) {
    for (const Finding& known : errors)
      if (known.message == finding.message) return;
    errors.push_back(std::move(finding));
  }
  void Merge(Findings other) {
    for (Finding& finding : other.errors) Add(std::move(finding));
    matches += other.matches;
  }
};

// kubeOpenAPIResultToFieldErrors. `place`: the field that was judged, "" for a whole object.
void TellFinding(const Finding& finding, std::string_view place, FieldErrorList* errors);

// A bad value of any type, as field.Invalid and its like show it in that version.
std::string ShownValue(const value::Value& v, Compat compat);

}  // namespace ksim::api
