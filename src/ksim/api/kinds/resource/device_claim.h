// The spec of a ResourceClaim, which a ResourceClaimTemplate has too: its defaults and its rules.
//
// Sources: pkg/apis/resource/v1/defaults.go; pkg/apis/resource/validation/validation.go
// validateResourceClaimSpec.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

// The names of a claim's requests, each with those of its subrequests, if it has some.
class RequestNames {
 public:
  explicit RequestNames(const value::Value& claim_spec);
  // REQUEST or REQUEST/SUBREQUEST.
  bool Has(std::string_view name) const;

 private:
  std::map<std::string, std::set<std::string>, std::less<>> names_;
};

// validateRequestNameRef
void CheckRequestReference(std::string_view name, const RequestNames& names, const FieldPath& path,
                           FieldErrorList* errors);

value::Value DefaultClaimSpec(const value::Value& spec);
void CheckClaimSpec(const value::Value& spec, const FieldPath& path, FieldErrorList* errors);

}  // namespace ksim::api
