#include "ksim/controllers/endpointslicemirroring/mirrored_slices.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/container/btree_map.h"
#include "ksim/api/rules/ip_text.h"
#include "ksim/controllers/endpointutil/endpoint_hash.h"
#include "ksim/controllers/endpointutil/endpoint_set.h"
#include "ksim/controllers/endpointutil/service_pods.h"
#include "ksim/controllers/endpointutil/subsets.h"

namespace ksim::controllers {

using value::Obj;
using value::Path;
using value::Value;

namespace {

using GroupKey = std::pair<std::string, std::string>;  // type of address, ports

struct Group {
  Group() = default;
  Value ports;
  EndpointSet endpoints;
};

// epPortsToEpsPorts, in the order in which NewPortMapKey leaves them.
Value SlicePorts(const Value& ports, const Profile& profile) {
  std::vector<Value> made;
  for (const Value& port : ports.items()) {
    const Value& app = port.Get("appProtocol");
    value::ObjectBuilder p;
    p.Add("name", Value::Of(port.Get("name").AsString()));
    p.Add("port", port.Get("port")).Add("protocol", port.Get("protocol"));
    p.AddIf(!app.is_null(), "appProtocol", app);
    made.push_back(p.Build());
  }
  return SortedSlicePorts(Value::Array(std::move(made)), profile);
}

Value MirroredEndpoint(const Value& address, bool ready, const Profile& profile) {
  const std::string_view ip = address.Get("ip").AsString();
  value::ObjectBuilder endpoint;
  endpoint.Add("addresses", value::Arr({Value::Of(EndpointIp(ip, profile))}));
  endpoint.Add("conditions", Obj({{"ready", Value::Bool(ready)}}));
  for (const char* field : {"targetRef", "nodeName"})
    endpoint.AddIf(!address.Get(field).is_null(), field, address.Get(field));
  endpoint.AddIf(!address.Get("hostname").AsString().empty(), "hostname", address.Get("hostname"));
  return endpoint.Build();
}

// The endpoints that there should be (desiredCalc).
class DesiredSlices {
 public:
  explicit DesiredSlices(const Profile& profile) : profile_(profile) {}

  void AddSubset(const Value& subset, MirrorPlan* plan) {
    const Value ports = SlicePorts(subset.Get("ports"), profile_);
    for (const char* type : {"IPv4", "IPv6"}) groups_[{type, PortMapKey(ports)}].ports = ports;
    std::int64_t total = 0, added = 0;
    for (const bool ready : {true, false}) {
      const Value& list = subset.Get(ready ? "addresses" : "notReadyAddresses");
      total += static_cast<std::int64_t>(list.size());
      for (const Value& address : list.items()) {
        if (added >= kMaxEndpointsPerSubset) break;
        if (AddAddress(address, PortMapKey(ports), ready))
          ++added;
        else
          ++plan->invalid_addresses;
      }
    }
    plan->skipped_addresses += total - added;
  }

  absl::btree_map<GroupKey, Group>& groups() { return groups_; }

 private:
  bool AddAddress(const Value& address, const std::string& ports, bool ready) {
    const std::optional<api::ParsedIp> ip = api::ParseIp(address.Get("ip").AsString());
    if (!ip) return false;
    groups_[{ip->Maps4() ? "IPv4" : "IPv6", ports}].endpoints.Insert(
        MirroredEndpoint(address, ready, profile_));
    return true;
  }

  const Profile& profile_;
  absl::btree_map<GroupKey, Group> groups_;
};

Value MirroredAnnotations(const api::Object& endpoints) {
  value::ObjectBuilder kept;
  for (const Value::Member& a : endpoints.annotations().members())
    if (a.name.text() != kTriggerTimeAnnotation &&
        a.name.text() != "kubectl.kubernetes.io/last-applied-configuration")
      kept.Add(a.name, a.value);
  return kept.Build();
}

bool SameMap(const Value& a, const Value& b) { return (a.empty() && b.empty()) || a == b; }

bool HasDesiredEndpoints(const api::Object& slice, const EndpointSet& desired) {
  const Value& endpoints = slice.tree().Get("endpoints");
  if (endpoints.size() != desired.size()) return false;
  const auto is_right = [&desired](const Value& endpoint) {
    const Value* wanted = desired.Find(endpoint);
    return wanted != nullptr && EqualBeyondIdentity(*wanted, endpoint);
  };
  return std::all_of(endpoints.items().begin(), endpoints.items().end(), is_right);
}

// needRebuildExistingSlices: it belongs to Endpoints of that name that are gone.
bool IsOfEarlierEndpoints(const api::Object& slice, const api::Object& endpoints) {
  const std::vector<api::OwnerReference> owners = slice.owners();
  return std::any_of(owners.begin(), owners.end(), [&endpoints](const api::OwnerReference& o) {
    return o.kind == "Endpoints" && o.name == endpoints.name() && o.uid != endpoints.uid();
  });
}

bool IsRight(const api::Object& slice, const api::Object& endpoints, const EndpointSet& desired,
             const Profile& profile) {
  const Value labels = slice.labels().Erase(kSliceManagedByLabel).Erase(kServiceNameLabel);
  return HasDesiredEndpoints(slice, desired) && SameMap(endpoints.labels(), labels) &&
         SameMap(MirroredAnnotations(endpoints), slice.annotations()) &&
         !(profile.mirrors_for_new_owner && IsOfEarlierEndpoints(slice, endpoints));
}

SliceDraft MirroringSlice(const api::Object& endpoints, std::string_view type, Group group) {
  static const Path kAnnotations{"metadata", "annotations"};
  SliceDraft slice(endpoints, type, group.ports);
  Value labels = endpoints.labels().is_null() ? Value::EmptyObject() : endpoints.labels();
  slice.set_labels(labels.Set(kServiceNameLabel, Value::Of(endpoints.name()))
                       .Set(kSliceManagedByLabel, Value::Of(kMirroringController)));
  const Value annotations = MirroredAnnotations(endpoints);
  if (!annotations.empty()) slice.tree = slice.tree.Set(kAnnotations, annotations);
  while (!group.endpoints.empty() &&
         static_cast<std::int64_t>(slice.endpoints.size()) < kMaxEndpointsPerSubset)
    slice.endpoints.push_back(group.endpoints.PopFirst());
  return slice;
}

// reconcileByPortMapping.
void PlanGroup(const api::Object& endpoints, std::string_view type, Group group,
               const std::vector<api::Object>& existing, const Profile& profile, MirrorPlan* plan) {
  if (group.endpoints.empty()) {
    for (const api::Object& slice : existing) plan->erase.emplace_back(slice);
    return;
  }
  for (std::size_t i = 1; i < existing.size(); ++i) plan->erase.emplace_back(existing[i]);
  if (!existing.empty() && IsRight(existing[0], endpoints, group.endpoints, profile)) {
    plan->right.push_back(existing[0]);
    return;
  }
  SliceDraft slice = MirroringSlice(endpoints, type, std::move(group));
  if (existing.empty()) {
    plan->create.push_back(std::move(slice));
    return;
  }
  static const Path kGenerateName{"metadata", "generateName"};
  slice.tree = slice.tree.Erase(kGenerateName);
  slice.set_name(std::string(existing[0].name()));
  plan->update.push_back(std::move(slice));
}

// recycleSlices: of each type of address, slices to delete become those to create.
void RecycleMirrored(MirrorPlan* plan) {
  for (const char* type : {"IPv4", "IPv6"}) {
    for (;;) {
      const auto is_of_type = [type](const SliceDraft& s) { return s.address_type() == type; };
      const auto made = std::find_if(plan->create.begin(), plan->create.end(), is_of_type);
      const auto old = std::find_if(plan->erase.begin(), plan->erase.end(), is_of_type);
      if (made == plan->create.end() || old == plan->erase.end()) break;
      made->set_name(old->name());
      plan->update.push_back(std::move(*made));
      plan->create.erase(made);
      plan->erase.erase(old);
    }
  }
}

}  // namespace

MirrorPlan PlanMirroring(const api::Object& endpoints, const std::vector<api::Object>& existing,
                         const Profile& profile) {
  MirrorPlan plan;
  DesiredSlices desired(profile);
  const Value& given = endpoints.tree().Get("subsets");
  const Value subsets = profile.mirrors_repacked_subsets ? RepackSubsets(given, profile) : given;
  for (const Value& subset : subsets.items()) desired.AddSubset(subset, &plan);

  absl::btree_map<GroupKey, std::vector<api::Object>> by_group;
  for (const api::Object& slice : existing) {
    const Value ports = SortedSlicePorts(slice.tree().Get("ports"), profile);
    by_group[{std::string(slice.tree().Get("addressType").AsString()),
              PortMapKeyOfCached(ports, profile)}]
        .push_back(slice);
  }
  for (auto& [key, group] : desired.groups())
    PlanGroup(endpoints, key.first, std::move(group), by_group[key], profile, &plan);
  for (const auto& [key, slices] : by_group)
    if (!desired.groups().contains(key))
      for (const api::Object& slice : slices) plan.erase.emplace_back(slice);
  RecycleMirrored(&plan);
  return plan;
}

}  // namespace ksim::controllers
