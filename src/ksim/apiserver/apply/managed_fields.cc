#include "ksim/apiserver/apply/managed_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "ksim/api/core/go_text.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

using value::Value;

namespace {

constexpr std::string_view kAncient = "ancient-changes";

Value EncodeEntry(const Manager& manager, const Owned& owned) {
  value::ObjectBuilder entry;
  entry.Add("apiVersion", Value::Of(owned.api_version));
  entry.Add("fieldsType", Value::Of("FieldsV1"));
  entry.Add("fieldsV1", owned.fields.ToFieldsV1());
  entry.Add("manager", Value::Of(manager.name));
  entry.Add("operation", Value::Of(manager.applies ? "Apply" : "Update"));
  entry.AddIf(!manager.subresource.empty(), "subresource", Value::Of(manager.subresource));
  entry.AddIf(!owned.time.is_null(), "time", owned.time);
  return entry.Build();
}

std::string Describe(const Manager& manager) {
  std::string out = api::GoQuote(manager.name);
  if (!manager.subresource.empty())
    out += fmt::format(" with subresource {}", api::GoQuote(manager.subresource));
  if (!manager.applies) out += fmt::format(" using {}", manager.api_version);
  return out;
}

}  // namespace

absl::StatusOr<Managers> DecodeManagers(const Value& managed_fields) {
  Managers out;
  for (std::size_t i = 0; i < managed_fields.size(); ++i) {
    const Value& entry = managed_fields.at(i);
    const std::string_view operation = entry.Get("operation").AsString();
    const std::string_view type = entry.Get("fieldsType").AsString();
    if (operation != "Apply" && operation != "Update")
      return absl::InvalidArgumentError("operation must be `Apply` or `Update`");
    if (entry.Get("apiVersion").AsString().empty())
      return absl::InvalidArgumentError("apiVersion must not be empty");
    if (type != "FieldsV1")
      return absl::InvalidArgumentError(
          type.empty() ? fmt::format("missing fieldsType in managed fields entry {}", i)
                       : fmt::format("invalid fieldsType {} in managed fields entry {}",
                                     api::GoQuote(std::string(type)), i));
    absl::StatusOr<FieldSet> fields = FieldSet::FromFieldsV1(entry.Get("fieldsV1"));
    if (!fields.ok()) return fields.status();
    Manager manager;
    manager.name = entry.Get("manager").AsString();
    manager.subresource = entry.Get("subresource").AsString();
    manager.applies = operation == "Apply";
    const std::string version(entry.Get("apiVersion").AsString());
    if (!manager.applies) manager.api_version = version;
    Owned owned(*std::move(fields), version);
    owned.time = entry.Get("time");
    out.insert_or_assign(std::move(manager), std::move(owned));
  }
  return out;
}

Value EncodeManagers(const Managers& managers) {
  std::vector<const Managers::value_type*> sorted;
  for (const auto& entry : managers) sorted.push_back(&entry);
  // Times are RFC 3339 in UTC: their text sorts as they do. "Apply" < "Update".
  const auto key = [](const Managers::value_type* e) {
    return std::make_tuple(!e->first.applies, e->second.time.AsString(),
                           std::string_view(e->first.name), std::string_view(e->second.api_version),
                           std::string_view(e->first.subresource));
  };
  std::sort(sorted.begin(), sorted.end(),
            [&](const auto* a, const auto* b) { return key(a) < key(b); });
  std::vector<Value> entries;
  for (const auto* entry : sorted) entries.push_back(EncodeEntry(entry->first, entry->second));
  return entries.empty() ? Value() : Value::Array(std::move(entries));
}

bool ResetsManagers(const Value& managed_fields) {
  if (!managed_fields.is_array()) return false;
  if (managed_fields.empty()) return true;
  return managed_fields.size() == 1 && managed_fields.at(0).empty();
}

// The oldest first, each joins the first of its version, until few enough are left.
void CapUpdateManagers(Managers* managers) {
  std::vector<Manager> updaters;
  for (const auto& [manager, owned] : *managers)
    if (!manager.applies) updaters.push_back(manager);
  std::stable_sort(updaters.begin(), updaters.end(), [&](const Manager& a, const Manager& b) {
    return managers->at(a).time.AsString() < managers->at(b).time.AsString();
  });
  std::size_t left = updaters.size();
  std::map<std::string, Manager> first_of_version;
  for (const Manager& manager : updaters) {
    if (left <= kMaxUpdateManagers) return;
    const auto [first, is_first] = first_of_version.emplace(manager.api_version, manager);
    if (is_first) continue;
    Manager bucket;
    bucket.name = kAncient;
    bucket.api_version = manager.api_version;
    if (managers->find(bucket) == managers->end()) {
      auto moved = managers->extract(first->second);
      moved.key() = bucket;
      managers->insert(std::move(moved));
    }
    const Manager& joins = manager == bucket ? first->second : manager;
    const Owned joined = managers->at(joins);
    managers->erase(joins);
    Owned& ancient = managers->at(bucket);
    ancient.fields = ancient.fields.Union(joined.fields);
    ancient.time = joined.time;
    --left;
  }
}

api::Status ApplyConflicts(const std::vector<ApplyConflict>& conflicts) {
  api::Status status;
  status.code = 409;
  status.reason = "Conflict";
  for (const ApplyConflict& c : conflicts)
    status.details->causes.emplace_back("FieldManagerConflict",
                                        "conflict with " + Describe(c.manager), Print(c.path));
  if (conflicts.size() == 1) {
    status.message =
        fmt::format("Apply failed with 1 conflict: {}: {}", status.details->causes[0].message,
                    status.details->causes[0].field);
    return status;
  }
  std::string message = fmt::format("Apply failed with {} conflicts:", conflicts.size());
  const Manager* last = nullptr;
  for (const ApplyConflict& c : conflicts) {
    if (last == nullptr || *last != c.manager)
      message +=
          fmt::format("{}conflicts with {}:", last == nullptr ? " " : "\n", Describe(c.manager));
    message += "\n- " + Print(c.path);
    last = &c.manager;
  }
  status.message = message;
  return status;
}

}  // namespace ksim::apiserver
