// `kubectl describe` of a node.
//
// Source: kubectl pkg/describe/describe.go describeNode, describeNodeLease, describeNodeResource;
// component-helpers resource/helpers.go PodRequests, PodLimits.
#include "ksim/api/node.h"

#include <algorithm>
#include <map>

#include "ksim/api/printing/printer_cells.h"
#include "ksim/kubectl/describe/describers.h"
#include "ksim/kubectl/describe/sections.h"
#include "ksim/value/quantity.h"

namespace ksim::kubectl {
namespace {

using value::Quantity;
using value::Value;
using Amounts = std::map<std::string, Quantity>;

Quantity AmountOf(const Value& v) { return Quantity::FromTree(v).value_or(Quantity()); }
Quantity AmountOf(const Amounts& amounts, const std::string& name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? Quantity() : found->second;
}

Amounts AmountsOf(const Value& list) {
  Amounts out;
  for (const Value::Member& m : list.members()) out[std::string(m.name.text())] = AmountOf(m.value);
  return out;
}

void Add(const Amounts& more, Amounts* sum) {
  for (const auto& [name, amount] : more) (*sum)[name] += amount;
}

void RaiseTo(const Amounts& other, Amounts* most) {
  for (const auto& [name, amount] : other) {
    const auto [at, fresh] = most->emplace(name, amount);
    if (!fresh && at->second < amount) at->second = amount;
  }
}

bool IsHugePages(const std::string& name) { return name.starts_with("hugepages-"); }

// The amounts that all containers ask for at a time; `field`: requests or limits.
Amounts ContainerAmounts(const Value& spec, std::string_view field) {
  Amounts sum, sidecars, most;
  for (const Value& c : spec.Get("containers").items())
    Add(AmountsOf(c.Get("resources").Get(field)), &sum);
  for (const Value& c : spec.Get("initContainers").items()) {
    Amounts needs = AmountsOf(c.Get("resources").Get(field));
    if (c.Get("restartPolicy").AsString() == "Always") {
      Add(needs, &sum);
      Add(needs, &sidecars);
      needs = sidecars;
    } else {
      Add(sidecars, &needs);
    }
    RaiseTo(needs, &most);
  }
  RaiseTo(most, &sum);
  return sum;
}

Amounts PodAmounts(const api::Object& pod, std::string_view field) {
  const Value& spec = pod.spec();
  Amounts out = ContainerAmounts(spec, field);
  for (const auto& [name, amount] : AmountsOf(spec.Get("resources").Get(field)))
    if (name == "cpu" || name == "memory" || IsHugePages(name)) out[name] = amount;
  for (const auto& [name, amount] : AmountsOf(spec.Get("overhead"))) {
    // No limit stays none.
    if (field == "requests" || !AmountOf(out, name).is_zero()) out[name] += amount;
  }
  return out;
}

// "100m (2%)": upstream's arithmetic, to the same digit.
std::string Share(const Quantity& part, const Quantity& whole, bool milli) {
  const std::int64_t all = milli ? whole.MilliValue() : whole.Value();
  const std::int64_t some = milli ? part.MilliValue() : part.Value();
  const double percent = all == 0 ? 0 : static_cast<double>(some) / static_cast<double>(all) * 100;
  return fmt::format("{} ({}%)", part.ToString(), static_cast<std::int64_t>(percent));
}

void WriteLease(TabWriter& w, const Described& d) {
  const api::Object lease = d.cluster.Get("leases", "kube-node-lease", d.object.name());
  if (lease.empty()) {
    w.Write(0, "Lease:\tFailed to get lease: leases.coordination.k8s.io \"{}\" not found\n",
            d.object.name());
    return;
  }
  const Value& spec = lease.spec();
  const auto time = [&spec](std::string_view field) {
    return spec.Has(field) ? LongTime(spec.Get(field)) : "<unset>";
  };
  w.Write(0, "Lease:\n");
  w.Write(1, "HolderIdentity:\t{}\n",
          spec.Has("holderIdentity") ? spec.Get("holderIdentity").AsString() : "<unset>");
  w.Write(1, "AcquireTime:\t{}\n", time("acquireTime"));
  w.Write(1, "RenewTime:\t{}\n", time("renewTime"));
}

void WriteNodeConditions(TabWriter& w, const Value& conditions) {
  if (conditions.empty()) return;
  w.Write(0,
          "Conditions:\n  Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage\n");
  w.Write(1, "----\t------\t-----------------\t------------------\t------\t-------\n");
  for (const Value& c : conditions.items())
    w.Write(1, "{} \t{} \t{} \t{} \t{} \t{}\n", c.Get("type").AsString(),
            c.Get("status").AsString(), LongTime(c.Get("lastHeartbeatTime")),
            LongTime(c.Get("lastTransitionTime")), c.Get("reason").AsString(),
            c.Get("message").AsString());
}

void WriteAmounts(TabWriter& w, std::string_view title, const Value& list) {
  if (list.empty()) return;
  w.Write(0, "{}:\n", title);
  for (const Value::Member& m : list.members())
    w.Write(1, "{}:\t{}\n", m.name.text(), AmountText(m.value));
}

void WriteSystem(TabWriter& w, const Value& info) {
  static constexpr std::pair<std::string_view, std::string_view> kLines[] = {
      {"Machine ID", "machineID"},
      {"System UUID", "systemUUID"},
      {"Boot ID", "bootID"},
      {"Kernel Version", "kernelVersion"},
      {"OS Image", "osImage"},
      {"Operating System", "operatingSystem"},
      {"Architecture", "architecture"},
      {"Container Runtime Version", "containerRuntimeVersion"},
      {"Kubelet Version", "kubeletVersion"}};
  w.Write(0, "System Info:\n");
  for (const auto& [title, field] : kLines)
    w.Write(1, "{}:\t{}\n", title, info.Get(field).AsString());
}

std::vector<api::Object> PodsOn(const Described& d) {
  std::vector<api::Object> out;
  for (api::Object& pod : d.cluster.List("pods", "")) {
    const std::string_view phase = pod.status().Get("phase").AsString();
    if (pod.node_name() == d.object.name() && phase != "Succeeded" && phase != "Failed")
      out.push_back(std::move(pod));
  }
  return out;
}

void WritePods(TabWriter& w, const std::vector<api::Object>& pods, const Amounts& whole,
               VirtualTime now) {
  w.Write(0, "Non-terminated Pods:\t({} in total)\n", pods.size());
  w.Write(1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge\n");
  w.Write(1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---\n");
  for (const api::Object& pod : pods) {
    const Amounts requests = PodAmounts(pod, "requests");
    const Amounts limits = PodAmounts(pod, "limits");
    const auto share = [&whole](const Amounts& amounts, const std::string& name) {
      return Share(AmountOf(amounts, name), AmountOf(whole, name), name == "cpu");
    };
    w.Write(1, "{}\t{}\t\t{}\t{}\t{}\t{}\t{}\n", pod.ns(), pod.name(), share(requests, "cpu"),
            share(limits, "cpu"), share(requests, "memory"), share(limits, "memory"),
            api::AgeSince(pod.creation_time(), now));
  }
}

void WriteAllocated(TabWriter& w, const std::vector<api::Object>& pods, const Amounts& whole) {
  Amounts requests, limits;
  for (const api::Object& pod : pods) {
    Add(PodAmounts(pod, "requests"), &requests);
    Add(PodAmounts(pod, "limits"), &limits);
  }
  w.Write(0,
          "Allocated resources:\n  (Total limits may be over 100 percent, i.e., overcommitted.)\n");
  w.Write(1, "Resource\tRequests\tLimits\n");
  w.Write(1, "--------\t--------\t------\n");
  const auto shared = [&](const std::string& name) {
    const Quantity all = AmountOf(whole, name);
    w.Write(1, "{}\t{}\t{}\n", name, Share(AmountOf(requests, name), all, name == "cpu"),
            Share(AmountOf(limits, name), all, name == "cpu"));
  };
  for (const char* name : {"cpu", "memory", "ephemeral-storage"}) shared(name);
  for (const auto& [name, amount] : whole)
    if (IsHugePages(name)) shared(name);
  for (const auto& [name, amount] : whole) {
    const bool told = name == "cpu" || name == "memory" || name == "ephemeral-storage";
    if (told || name == "pods" || IsHugePages(name)) continue;
    w.Write(1, "{}\t{}\t{}\n", name, AmountOf(requests, name).ToString(),
            AmountOf(limits, name).ToString());
  }
}

}  // namespace

std::string DescribeNode(const Described& d) {
  const Value& spec = d.spec();
  const Value& status = d.status();
  TabWriter w;
  w.Write(0, "Name:\t{}\n", d.object.name());
  const std::vector<std::string> roles = api::NodeView(d.object).Roles();
  w.Write(0, "Roles:\t{}\n", roles.empty() ? "<none>" : fmt::format("{}", fmt::join(roles, ",")));
  WriteLabels(w, "Labels", d.object.labels());
  WriteAnnotations(w, "Annotations", d.object.annotations());
  w.Write(0, "CreationTimestamp:\t{}\n", LongTime(d.tree.Get("metadata").Get("creationTimestamp")));
  WriteTaints(w, "Taints", spec.Get("taints"));
  w.Write(0, "Unschedulable:\t{}\n", spec.Get("unschedulable").AsBool());
  WriteLease(w, d);
  WriteNodeConditions(w, status.Get("conditions"));
  w.Write(0, "Addresses:\n");
  for (const Value& a : status.Get("addresses").items())
    w.Write(1, "{}:\t{}\n", a.Get("type").AsString(), a.Get("address").AsString());
  WriteAmounts(w, "Capacity", status.Get("capacity"));
  WriteAmounts(w, "Allocatable", status.Get("allocatable"));
  WriteSystem(w, status.Get("nodeInfo"));
  WriteIf(w, 0, "PodCIDR", spec.Get("podCIDR"));
  if (const Value& ranges = spec.Get("podCIDRs"); !ranges.empty())
    w.Write(0, "PodCIDRs:\t{}\n", JoinTexts(ranges, ","));
  WriteIf(w, 0, "ProviderID", spec.Get("providerID"));
  const bool allocatable = !status.Get("allocatable").empty();
  const Amounts whole = AmountsOf(status.Get(allocatable ? "allocatable" : "capacity"));
  const std::vector<api::Object> pods = PodsOn(d);
  WritePods(w, pods, whole, d.now());
  WriteAllocated(w, pods, whole);
  WriteEvents(w, d);
  return w.Take();
}

}  // namespace ksim::kubectl
