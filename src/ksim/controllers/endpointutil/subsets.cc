#include "ksim/controllers/endpointutil/subsets.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/container/btree_map.h"
#include "ksim/controllers/endpointutil/endpoint_hash.h"
#include "ksim/controllers/endpointutil/endpoint_set.h"

namespace ksim::controllers {

using value::Value;

namespace {

// LessEndpointAddress; of two with the same IP the one without a target comes last.
using AddressKey = std::tuple<std::string, bool, std::string>;  // IP, no target, uid

AddressKey KeyOfAddress(const Value& address) {
  const Value& target = address.Get("targetRef");
  return {std::string(address.Get("ip").AsString()), target.is_null(),
          std::string(target.Get("uid").AsString())};
}

// The addresses that offer a port: ready or not.
using AddressSet = absl::btree_map<AddressKey, bool>;

struct PortedAddresses {
  explicit PortedAddresses(Value p) : port(std::move(p)) {}
  Value port;  // null: no port at all
  AddressSet addresses;
};

class SubsetPacker {
 public:
  explicit SubsetPacker(const Profile& profile) : profile_(profile) {}

  void Add(const Value& subset) {
    const Value& ports = subset.Get("ports");
    if (ports.empty()) AddAtPort(subset, Value());
    for (const Value& port : ports.items()) AddAtPort(subset, port);
  }

  Value Pack() const {
    // Ports that the same addresses offer belong together.
    absl::btree_map<std::string, std::vector<const PortedAddresses*>> by_addresses;
    for (const auto& [text, ported] : by_port_)
      by_addresses[TextOf(ported.addresses)].push_back(&ported);
    std::vector<Value> subsets;
    for (const auto& [text, ported] : by_addresses) subsets.push_back(MakeSubset(ported));
    SortByHash(&EndpointSubsetText, profile_, &subsets);
    return Value::Array(std::move(subsets));
  }

 private:
  void AddAtPort(const Value& subset, const Value& port) {
    const std::string text = port.is_null() ? std::string() : EndpointPortText(port);
    AddressSet& set = by_port_.try_emplace(text, port).first->second.addresses;
    for (const bool ready : {true, false}) {
      for (const Value& address : subset.Get(ready ? "addresses" : "notReadyAddresses").items()) {
        const AddressKey key = KeyOfAddress(address);
        addresses_.try_emplace(key, address);  // the first of its kind stands for all
        const auto [known, is_new] = set.try_emplace(key, ready);
        if (!is_new && known->second) known->second = ready;
      }
    }
  }

  std::string TextOf(const AddressSet& set) const {
    std::string text;
    for (const auto& [key, ready] : set)
      text += EndpointAddressText(addresses_.at(key)) + (ready ? "+" : "-");
    return text;
  }

  Value MakeSubset(const std::vector<const PortedAddresses*>& ported) const {
    std::vector<Value> ready, not_ready, ports;
    for (const auto& [key, is_ready] : ported.front()->addresses)
      (is_ready ? ready : not_ready).push_back(addresses_.at(key));
    for (const PortedAddresses* p : ported)
      if (!p->port.is_null()) ports.push_back(p->port);
    SortByHash(&EndpointPortText, profile_, &ports);
    value::ObjectBuilder subset;
    for (auto& [name, list] :
         {std::pair("addresses", &ready), std::pair("notReadyAddresses", &not_ready),
          std::pair("ports", &ports)})
      subset.AddIf(!list->empty(), name, Value::Array(*list));
    return subset.Build();
  }

  const Profile& profile_;
  absl::btree_map<AddressKey, Value> addresses_;
  absl::btree_map<std::string, PortedAddresses> by_port_;  // by the port's text
};

Value WithoutVersions(const Value& subsets) {
  std::vector<Value> stripped;
  for (Value subset : subsets.items()) {
    for (const char* list : {"addresses", "notReadyAddresses"}) {
      if (!subset.Has(list)) continue;
      std::vector<Value> addresses;
      for (const Value& address : subset.Get(list).items())
        addresses.push_back(WithoutTargetVersion(address));
      subset = subset.Set(list, Value::Array(std::move(addresses)));
    }
    stripped.push_back(std::move(subset));
  }
  return Value::Array(std::move(stripped));
}

}  // namespace

Value RepackSubsets(const Value& subsets, const Profile& profile) {
  SubsetPacker packer(profile);
  for (const Value& subset : subsets.items()) packer.Add(subset);
  return packer.Pack();
}

bool SameSubsets(const Value& a, const Value& b) {
  return WithoutVersions(a) == WithoutVersions(b);
}

}  // namespace ksim::controllers
