// Part of field_manager.h: the field manager of a request, and validation of the options of writes.
//
// Sources: apiserver pkg/endpoints/handlers/create.go managerOrUserAgent, prefixFromUserAgent,
// fieldmanager/equality.go; apimachinery pkg/apis/meta/v1/validation/validation.go.
#include <fmt/format.h>

#include <utility>

#include "ksim/api/core/go_text.h"
#include "ksim/api/core/profile.h"
#include "ksim/apiserver/apply/field_manager.h"

namespace ksim::apiserver {

using value::Path;
using value::Value;

namespace {

constexpr std::size_t kMaxManagerLength = 128;

bool IsPrintable(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; }

const Path kFieldManagers{"metadata", "managedFields"};

Value WithoutTimes(const Value& managed_fields) {
  std::vector<Value> entries;
  for (const Value& entry : managed_fields.items()) entries.push_back(entry.Erase("time"));
  return Value::Array(std::move(entries));
}

std::string OptionsKind(api::Verb verb) {
  if (verb == api::Verb::kCreate) return "CreateOptions";
  return verb == api::Verb::kUpdate ? "UpdateOptions" : "PatchOptions";
}

void CheckManagerName(std::string_view name, api::Compat compat,
                      std::vector<api::StatusCause>* errors) {
  if (name.size() > kMaxManagerLength)
    errors->emplace_back(
        "FieldValueTooLong",
        fmt::format("Too long: {} {} bytes",
                    api::ProfileOf(compat).too_long_as_may_not_be ? "may not be more than"
                                                                  : "must have at most",
                    kMaxManagerLength),
        "fieldManager");
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (IsPrintable(name[i])) continue;
    errors->emplace_back(
        "FieldValueInvalid",
        fmt::format("Invalid value: {}: invalid character U+{:04X} (at position {})",
                    api::GoQuote(name), static_cast<unsigned char>(name[i]), i),
        "fieldManager");
  }
}

void CheckFieldValidation(std::string_view directive, std::vector<api::StatusCause>* errors) {
  if (directive.empty() || directive == "Ignore" || directive == "Strict" || directive == "Warn")
    return;
  errors->emplace_back("FieldValueNotSupported",
                       fmt::format("Unsupported value: {}: supported values: \"\", \"Ignore\", "
                                   "\"Strict\", \"Warn\"",
                                   api::GoQuote(directive)),
                       "fieldValidation");
}

}  // namespace

void CheckDryRun(const api::Request& request, api::Compat compat,
                 std::vector<api::StatusCause>* errors) {
  if (request.flaws == nullptr || request.flaws->dry_run.empty()) return;
  const bool json = api::ProfileOf(compat).bad_values_as_json;
  std::string all;
  for (const std::string& value : request.flaws->dry_run) {
    if (!all.empty()) all += json ? "," : ", ";
    all += api::GoQuote(value);
  }
  errors->emplace_back(
      "FieldValueNotSupported",
      fmt::format("Unsupported value: {}: supported values: \"All\"",
                  json ? fmt::format("[{}]", all) : fmt::format("[]string{{{}}}", all)),
      "dryRun");
}

std::string ManagerOrUserAgent(const api::Request& request) {
  if (!request.field_manager.empty()) return request.field_manager.str();
  std::string out;
  const std::string_view agent = request.user_agent;
  for (const char c : agent.substr(0, agent.find('/')))
    if (IsPrintable(c) && out.size() < kMaxManagerLength) out += c;
  return out;
}

api::Status ValidateWriteOptions(const api::Request& request, api::Compat compat) {
  std::vector<api::StatusCause> errors;
  const bool applies =
      request.verb == api::Verb::kPatch && request.patch_type == api::PatchType::kApply;
  if (applies && request.field_manager.empty())
    errors.emplace_back("FieldValueRequired", "Required value: is required for apply patch",
                        "fieldManager");
  const bool force_given = request.flaws != nullptr && request.flaws->force_given;
  if (!applies && (request.force || force_given))
    errors.emplace_back("FieldValueForbidden",
                        "Forbidden: may not be specified for non-apply patch", "force");
  CheckManagerName(request.field_manager, compat, &errors);
  CheckDryRun(request, compat, &errors);
  CheckFieldValidation(request.field_validation, &errors);
  if (errors.empty()) return api::Status();
  return api::Invalid("meta.k8s.io", OptionsKind(request.verb), "", std::move(errors));
}

Value IgnoreManagedFieldsTimes(const Value& live, const Value& wanted) {
  const Value& before = live.Get(kFieldManagers);
  const Value& after = wanted.Get(kFieldManagers);
  if (before.empty() || before.size() != after.size() || before == after) return wanted;
  const bool same = WithoutTimes(before) == WithoutTimes(after) &&
                    live.Erase(kFieldManagers) == wanted.Erase(kFieldManagers);
  return same ? live : wanted;
}

}  // namespace ksim::apiserver
