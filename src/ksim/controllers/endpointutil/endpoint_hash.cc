#include "ksim/controllers/endpointutil/endpoint_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "ksim/base/foreign_hashes.h"

namespace ksim::controllers {

using value::Value;

namespace {

std::string OrNil(const Value& text) {
  return text.is_null() ? "<nil>" : std::string(text.AsString());
}

std::string ReferenceText(const Value& reference) {
  if (reference.is_null()) return "<nil>";
  const auto field = [&reference](const char* name) { return reference.Get(name).AsString(); };
  return fmt::format(
      "{{Kind:(string){} Namespace:(string){} Name:(string){} UID:(types.UID){} "
      "APIVersion:(string){} ResourceVersion:(string){} FieldPath:(string){}}}",
      field("kind"), field("namespace"), field("name"), field("uid"), field("apiVersion"),
      field("resourceVersion"), field("fieldPath"));
}

// The items of a list as spew prints them within a struct; an empty list is nil there.
std::string ListText(const Value& list, std::string (*text)(const Value&)) {
  if (list.empty()) return "<nil>";
  std::vector<std::string> texts;
  for (const Value& item : list.items()) texts.push_back(text(item));
  return fmt::format("[{}]", fmt::join(texts, " "));
}

std::string BarePortText(const Value& port) {
  return fmt::format(
      "{{Name:(string){} Port:(int32){} Protocol:(v1.Protocol){} AppProtocol:(*string){}}}",
      port.Get("name").AsString(), port.Get("port").AsInt(), port.Get("protocol").AsString(),
      OrNil(port.Get("appProtocol")));
}

}  // namespace

std::string SlicePortText(const Value& port) {
  const Value& number = port.Get("port");
  return fmt::format(
      "(v1.EndpointPort){{Name:(*string){} Protocol:(*v1.Protocol){} Port:(*int32){} "
      "AppProtocol:(*string){}}}",
      OrNil(port.Get("name")), OrNil(port.Get("protocol")),
      number.is_null() ? "<nil>" : std::to_string(number.AsInt()), OrNil(port.Get("appProtocol")));
}

std::string EndpointPortText(const Value& port) { return "(v1.EndpointPort)" + BarePortText(port); }

std::string EndpointAddressText(const Value& address) {
  return fmt::format(
      "{{IP:(string){} Hostname:(string){} NodeName:(*string){} "
      "TargetRef:(*v1.ObjectReference){}}}",
      address.Get("ip").AsString(), address.Get("hostname").AsString(),
      OrNil(address.Get("nodeName")), ReferenceText(address.Get("targetRef")));
}

std::string EndpointSubsetText(const Value& subset) {
  return fmt::format(
      "(v1.EndpointSubset){{Addresses:([]v1.EndpointAddress){} "
      "NotReadyAddresses:([]v1.EndpointAddress){} Ports:([]v1.EndpointPort){}}}",
      ListText(subset.Get("addresses"), &EndpointAddressText),
      ListText(subset.Get("notReadyAddresses"), &EndpointAddressText),
      ListText(subset.Get("ports"), &BarePortText));
}

void SortByHash(std::string (*text)(const Value&), const Profile& profile,
                std::vector<Value>* items) {
  using Hashed = std::pair<std::array<std::uint8_t, 16>, Value>;
  std::vector<Hashed> hashed;
  for (Value& item : *items) {
    const std::string bytes = text(item);
    hashed.emplace_back(profile.orders_endpoints_by_fnv ? Fnv128a(bytes) : Md5(bytes),
                        std::move(item));
  }
  std::stable_sort(hashed.begin(), hashed.end(),
                   [](const Hashed& a, const Hashed& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < items->size(); ++i) (*items)[i] = std::move(hashed[i].second);
}

Value SortedSlicePorts(const Value& ports, const Profile& profile) {
  std::vector<Value> sorted(ports.items().begin(), ports.items().end());
  SortByHash(&SlicePortText, profile, &sorted);
  return Value::Array(std::move(sorted));
}

std::string PortMapKey(const Value& sorted_ports) {
  std::string key;
  for (const Value& port : sorted_ports.items()) key += SlicePortText(port);
  return key;
}

std::string PortMapKeyOfCached(const Value& sorted_ports, const Profile& profile) {
  const bool differs = sorted_ports.empty() && !profile.missing_ports_are_none;
  return differs ? "<nil>" : PortMapKey(sorted_ports);
}

}  // namespace ksim::controllers
