#include "ksim/check/invariants/variables.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ksim/value/timestamp.h"

namespace ksim::check {
namespace {

using cel::Val;

constexpr std::int64_t kSecond = 1'000'000'000;

const std::pair<std::string_view, cel::TypePtr (*)()> kVariables[] = {
    {"object", cel::DynType},   {"oldObject", cel::DynType},
    {"owner", cel::DynType},    {"objects", [] { return cel::ListOf(cel::DynType()); }},
    {"count", cel::IntType},    {"now", cel::TimestampType},
    {"age", cel::DurationType}, {"unchanged", cel::DurationType},
    {"actor", cel::StringType}, {"operation", cel::StringType}};

Val TreeOrNull(const value::Value* tree) {
  return tree == nullptr ? Val::Null() : cel::FromTree(*tree);
}

Val TimeOf(std::int64_t virtual_ns) {
  std::int64_t seconds = virtual_ns / kSecond;
  std::int64_t nanos = virtual_ns % kSecond;
  if (nanos < 0) {
    --seconds;
    nanos += kSecond;
  }
  return Val::Timestamp(kEpochUnixSeconds + seconds, static_cast<std::int32_t>(nanos));
}

Val OwnerAt(const Moment& m) {
  const value::Value* of = m.object != nullptr ? m.object : m.old_object;
  if (of == nullptr || m.owners == nullptr) return Val::Null();
  return TreeOrNull(m.owners->OwnerOf(*of));
}

Val AgeAt(const Moment& m) {
  if (m.object == nullptr) return Val::Error("age: the object is not there");
  const auto made =
      value::ParseTimestamp(m.object->Get("metadata").Get("creationTimestamp").AsString());
  if (!made.ok()) return Val::Error("age: the object has no creationTimestamp");
  return Val::Duration(m.now - made->ns());
}

}  // namespace

const cel::EnvironmentOptions& InvariantEnvironment() {
  static const auto& options =  // NOLINT(ksim-static): one table a process
      *new cel::EnvironmentOptions(cel::EnvironmentOptions::Kubernetes(36));
  return options;
}

const cel::Environment& InvariantDeclarations() {
  static const cel::Environment* const environment = [] {  // NOLINT(ksim-static): the same
    auto* out = new cel::Environment(InvariantEnvironment());
    for (const auto& [name, type] : kVariables) out->DeclareVariable(name, type());
    return out;
  }();
  return *environment;
}

bool IsInvariantVariable(std::string_view name) {
  return std::any_of(std::begin(kVariables), std::end(kVariables),
                     [name](const auto& variable) { return variable.first == name; });
}

std::optional<Val> ValueAt(const Moment& m, std::string_view variable) {
  if (variable == "object") return TreeOrNull(m.object);
  if (variable == "oldObject") return TreeOrNull(m.old_object);
  if (variable == "owner") return OwnerAt(m);
  if (variable == "objects") return Val::List(m.objects);
  if (variable == "count") return Val::Int(static_cast<std::int64_t>(m.objects->size()));
  if (variable == "now") return TimeOf(m.now);
  if (variable == "age") return AgeAt(m);
  if (variable == "unchanged") return Val::Duration(m.now - m.changed);
  if (variable == "actor") return Val::String(m.actor);
  if (variable == "operation") return Val::String(m.operation);
  return std::nullopt;
}

}  // namespace ksim::check
