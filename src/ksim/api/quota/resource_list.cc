#include "ksim/api/quota/resource_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace ksim::api {

using value::Quantity;
using value::Value;

ResourceList ResourceListOf(const Value& tree) {
  ResourceList out;
  for (const Value::Member& m : tree.members())
    out[std::string(m.name.text())] = Quantity::FromTree(m.value).value_or(Quantity());
  return out;
}

Value ToTree(const ResourceList& list) {
  value::ObjectBuilder out;
  for (const auto& [name, amount] : list) out.Add(name, amount.ToTree());
  return out.Build();
}

ResourceList Add(ResourceList a, const ResourceList& b) {
  for (const auto& [name, amount] : b) {
    const auto [it, added] = a.try_emplace(name, amount);
    if (!added) it->second += amount;
  }
  return a;
}

ResourceList SubtractNonNegative(const ResourceList& a, const ResourceList& b) {
  ResourceList out;
  for (const auto& [name, amount] : a) {
    const auto less = b.find(name);
    const Quantity left = less == b.end() ? amount : amount - less->second;
    out[name] = left.Sign() > 0 ? left : Quantity();
  }
  for (const auto& [name, amount] : b) out.try_emplace(name, Quantity());
  return out;
}

ResourceList WithoutZeros(ResourceList list) {
  std::erase_if(list, [](const auto& entry) { return entry.second.is_zero(); });
  return list;
}

ResourceList Mask(const ResourceList& list, const std::vector<std::string>& names) {
  ResourceList out;
  for (const std::string& name : names) {
    const auto it = list.find(name);
    if (it != list.end()) out.insert(*it);
  }
  return out;
}

std::vector<std::string> NamesOf(const ResourceList& list) {
  std::vector<std::string> names;
  for (const auto& [name, amount] : list) names.push_back(name);
  return names;
}

bool Equal(const ResourceList& a, const ResourceList& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) {
           return x.first == y.first && x.second == y.second;
         });
}

std::vector<std::string> Exceeded(const ResourceList& a, const ResourceList& b) {
  std::vector<std::string> names;
  for (const auto& [name, most] : b) {
    const auto it = a.find(name);
    if (it != a.end() && it->second > most) names.push_back(name);
  }
  return names;
}

std::string PrettyPrint(const ResourceList& list) {
  std::vector<std::string> parts;
  for (const auto& [name, amount] : list)
    parts.push_back(fmt::format("{}={}", name, amount.ToString()));
  return fmt::format("{}", fmt::join(parts, ","));
}

std::string PrettyPrintNames(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace ksim::api
