// The kind Lease of coordination.k8s.io/v1.
//
// Source: pkg/apis/coordination/validation.
#include <string>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kLeaseTypes = R"(
Lease: apiVersion=string kind=string metadata=ObjectMeta spec=LeaseSpec
LeaseSpec: acquireTime=*MicroTime holderIdentity=*string leaseDurationSeconds=*int32
   leaseTransitions=*int32 preferredHolder=*string renewTime=*MicroTime
   strategy=*s:CoordinatedLeaseStrategy
)";

void ValidateLease(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get(Fields().spec);
  const Value& duration = spec.Get(Fields().lease_duration_seconds);
  if (duration.is_int() && duration.AsInt() <= 0) {
    errors->Invalid(path.Child("leaseDurationSeconds"), duration.AsInt(), "must be greater than 0");
  }
  const Value& transitions = spec.Get(Fields().lease_transitions);
  if (transitions.is_int()) errors->NonNegative(path.Child("leaseTransitions"), transitions);
}

std::vector<std::string> LeaseCells(const Object& o, VirtualTime now) {
  return {cells::Name(o), cells::Text(o.spec().Get("holderIdentity")), cells::Age(o, now)};
}

}  // namespace

extern const KindSpec kLeaseKind = {
    .group = "coordination.k8s.io",
    .kind = "Lease",
    .resource = "leases",
    .create_on_update = true,
    .unconditional_update = false,
    .go_types = kLeaseTypes,
    .columns = {{"Name"}, {"Holder"}, {"Age"}},
    .cells = LeaseCells,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMetaUpdate, kCheckObject},
            .on_status_update = {},
            .object = ValidateLease,
            .standard_finalizers = false,
        },
};

}  // namespace ksim::api
