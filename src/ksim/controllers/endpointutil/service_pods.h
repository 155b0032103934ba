// The pods of a Service: which it selects, which of them count as endpoints, at which
// port and address, and which Services a change of a pod concerns.
//
// Sources: endpointslice util/controller_utils.go, utils.go FindPort.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/client/informer.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

// A Service without one, or with an empty one, selects nothing: its endpoints are somebody else's.
bool HasSelector(const api::Object& service);
bool IsExternalName(const api::Object& service);
// It has an address of its own: neither headless nor without an allocation yet.
bool HasClusterIp(const api::Object& service);
bool PublishesNotReady(const api::Object& service);

std::vector<api::Object> PodsOf(const api::Object& service, const client::Lister& pods);
// The keys of the Services that select the pod.
std::vector<std::string> ServicesOf(const api::Object& pod, const client::Lister& services);
// Those whose endpoints may have changed with the pod: all that select either version if something
// in it changed that endpoints tell, those that select one of the two if its labels did.
std::vector<std::string> ServicesOfChange(const api::Object& old_pod, const api::Object& new_pod,
                                          const client::Lister& services);

// It has not ended and has an address; pods that are being deleted count only if asked for.
bool BelongsInEndpoints(const api::Object& pod, bool include_terminating);
// The pod asks for a name under that of the Service.
bool HasHostnameOf(const api::Object& pod, const api::Object& service);
// The port that a port of the Service means in the pod; nothing if no container has it.
std::optional<std::int64_t> TargetPortIn(const api::Object& pod, const value::Value& service_port,
                                         const Profile& profile);

bool IsIpv6Text(std::string_view ip);  // netutils.IsIPv6String
// The address as it is written down.
std::string EndpointIp(std::string_view ip, const Profile& profile);
// The reference to a pod.
value::Value PodReference(const api::Object& pod);

}  // namespace ksim::controllers
