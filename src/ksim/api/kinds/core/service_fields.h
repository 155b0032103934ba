// The fields of a Service that depend on its type: addresses, node ports and what goes with them.
//
// Sources: pkg/registry/core/service/storage/storage.go normalizeClusterIPs, patchAllocatedValues;
// pkg/registry/core/service/storage/alloc.go initIPFamilyFields; strategy.go
// dropTypeDependentFields.
#pragma once
#include "ksim/value/value.h"

namespace ksim::api {

// All but ExternalName; false of no spec at all.
bool NeedsClusterIp(const value::Value& spec);
bool IsHeadlessService(const value::Value& spec);
bool NeedsNodePorts(const value::Value& spec);   // NodePort, LoadBalancer
bool NeedsHealthPort(const value::Value& spec);  // LoadBalancer whose traffic stays local

// The families and lists that follow from what is given, in a cluster of IPv4.
value::Value WithServiceAddresses(value::Value spec);
// An update that leaves out allocated values keeps them.
value::Value WithOldServiceValues(value::Value spec, const value::Value& old_spec);
// An update to a type that does not need them loses the fields that the user has not changed.
value::Value WithoutUnneededServiceFields(value::Value service, const value::Value& old);

}  // namespace ksim::api
