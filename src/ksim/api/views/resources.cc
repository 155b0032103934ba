#include "ksim/api/views/resources.h"

#include <algorithm>

#include "ksim/value/quantity.h"

namespace ksim::api {

using value::Value;

namespace {

std::int64_t WholeUnits(const Value& text) {
  const auto quantity = value::Quantity::FromTree(text);
  return quantity.ok() ? quantity->Value() : 0;
}

std::int64_t MilliUnits(const Value& text) {
  const auto quantity = value::Quantity::FromTree(text);
  return quantity.ok() ? quantity->MilliValue() : 0;
}

Resources ContainerRequests(const Value& container, bool nonzero) {
  static const value::Path kRequests{"resources", "requests"};
  const Value& list = container.Get(kRequests);
  Resources requests = Resources::FromList(list);
  if (nonzero && !list.Has("cpu")) requests.milli_cpu = kDefaultMilliCpuRequest;
  if (nonzero && !list.Has("memory")) requests.memory = kDefaultMemoryRequest;
  return requests;
}

}  // namespace

bool IsNativeResource(std::string_view name) {
  return name.find('/') == name.npos || name.find("kubernetes.io/") != name.npos;
}

bool IsExtendedResource(std::string_view name) {
  return !IsNativeResource(name) && !name.starts_with("requests.");
}

Resources Resources::FromList(const Value& list) {
  Resources r;
  for (const Value::Member& m : list.members()) {
    const std::string_view name = m.name.text();
    if (name == "cpu") {
      r.milli_cpu = MilliUnits(m.value);
    } else if (name == "memory") {
      r.memory = WholeUnits(m.value);
    } else if (name == "ephemeral-storage") {
      r.ephemeral_storage = WholeUnits(m.value);
    } else if (name == "pods") {
      r.pods = WholeUnits(m.value);
    } else {
      r.scalars[std::string(name)] = WholeUnits(m.value);
    }
  }
  return r;
}

Resources& Resources::operator+=(const Resources& o) {
  milli_cpu += o.milli_cpu;
  memory += o.memory;
  ephemeral_storage += o.ephemeral_storage;
  for (const auto& [name, amount] : o.scalars) scalars[name] += amount;
  return *this;
}

Resources& Resources::operator-=(const Resources& o) {
  milli_cpu -= o.milli_cpu;
  memory -= o.memory;
  ephemeral_storage -= o.ephemeral_storage;
  for (const auto& [name, amount] : o.scalars) scalars[name] -= amount;
  return *this;
}

void Resources::RaiseTo(const Resources& o) {
  milli_cpu = std::max(milli_cpu, o.milli_cpu);
  memory = std::max(memory, o.memory);
  ephemeral_storage = std::max(ephemeral_storage, o.ephemeral_storage);
  for (const auto& [name, amount] : o.scalars) {
    std::int64_t& mine = scalars[name];
    mine = std::max(mine, amount);
  }
}

bool Resources::empty() const {
  return milli_cpu == 0 && memory == 0 && ephemeral_storage == 0 &&
         std::all_of(scalars.begin(), scalars.end(), [](const auto& s) { return s.second == 0; });
}

Resources PodRequests(const Object& pod, bool nonzero) {
  const Value& spec = pod.spec();
  Resources total;
  for (const Value& c : spec.Get("containers").items()) total += ContainerRequests(c, nonzero);

  Resources sidecars;
  Resources largest_init;
  for (const Value& c : spec.Get("initContainers").items()) {
    Resources requests = ContainerRequests(c, nonzero);
    if (c.Get("restartPolicy").AsString() == "Always") {
      total += requests;
      sidecars += requests;
      largest_init.RaiseTo(sidecars);
    } else {
      requests += sidecars;
      largest_init.RaiseTo(requests);
    }
  }
  total.RaiseTo(largest_init);
  total += Resources::FromList(spec.Get("overhead"));
  return total;
}

}  // namespace ksim::api
