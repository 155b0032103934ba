#include "ksim/apiserver/handlers/patch_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/value/go_format.h"

namespace ksim::apiserver {

using value::Value;

namespace {

api::Status CannotUnmarshal(std::string_view prefix, const Value& v, std::string_view type) {
  return api::BadRequest(fmt::format("{}json: cannot unmarshal {} into Go value of type {}", prefix,
                                     value::JsonWord(v), type));
}

constexpr std::string_view kDecoding = "error decoding patch: ";
constexpr std::string_view kMapType = "map[string]interface {}";

// 422 as NewGenericServerResponse makes it: no kind, no details but the code.
api::Status PatchFailed() {
  return api::RouterAnswer(422, "Invalid",
                           "the server rejected our request due to an error in our request");
}

// The errors of a strategic merge patch that are the client's; all others are the server's.
bool IsBadStrategicPatch(std::string_view message) {
  static constexpr std::array<std::string_view, 5> kBad = {
      "invalid JSON document", "invalid patch format of primitive list",
      "invalid patch format of retainKeys", "invalid patch format of setElementOrder list",
      "strategic merge patch format is not supported"};
  return std::any_of(kBad.begin(), kBad.end(),
                     [&](std::string_view text) { return message.starts_with(text); });
}

// The reflect.Kind of a value in unstructured JSON, by encoding/json's word for it.
std::string_view KindOf(std::string_view word) {
  if (word == "number") return "int64";
  if (word.starts_with("number ")) return "float64";
  if (word == "array") return "slice";
  return word == "object" ? "map" : word;
}

// v1.PodPhase is a string, v1.PodStatus is none.
bool IsNamedString(std::string_view type) {
  static constexpr std::array<std::string_view, 8> kEnds = {
      "UID", "Policy", "Phase", "Type", "Operator", "Effect", "Protocol", "Action"};
  return std::any_of(kEnds.begin(), kEnds.end(),
                     [&](std::string_view end) { return type.ends_with(end); });
}

}  // namespace

api::Status CheckJsonPatch(const Value& patch, std::string_view field_validation) {
  if (patch.is_null() || field_validation == "Ignore") return api::Status();
  if (!patch.is_array()) return CannotUnmarshal(kDecoding, patch, "[]handlers.jsonPatchOp");
  for (const Value& op : patch.items()) {
    if (!op.is_object() && !op.is_null())
      return CannotUnmarshal(kDecoding, op, "handlers.jsonPatchOp");
    for (const char* field : {"from", "op", "path"}) {
      const Value& v = op.Get(field);
      if (v.is_null() || v.is_string()) continue;
      return api::BadRequest(
          fmt::format("{}json: cannot unmarshal {} into Go struct field jsonPatchOp.{} of type "
                      "string",
                      kDecoding, value::JsonWord(v), field));
    }
  }
  return api::Status();
}

api::Status CheckMergePatch(const Value& patch) {
  if (patch.is_object()) return api::Status();
  return CannotUnmarshal(kDecoding, patch, kMapType);
}

api::Status CheckStrategicPatch(const Value& patch) {
  if (patch.is_object()) return api::Status();
  return CannotUnmarshal("", patch, kMapType);
}

api::Result<Value> FromJsonPatch(absl::StatusOr<Value> patched) {
  if (patched.ok()) return *std::move(patched);
  const absl::Status& error = patched.status();
  switch (error.code()) {
    case absl::StatusCode::kFailedPrecondition:
      return PatchFailed();
    case absl::StatusCode::kResourceExhausted:
      return api::RequestEntityTooLarge(Message(error));
    default:
      return api::BadRequest(Message(error));
  }
}

api::Result<Value> FromStrategicPatch(absl::StatusOr<Value> patched) {
  if (patched.ok()) return *std::move(patched);
  const std::string message(Message(patched.status()));
  if (IsBadStrategicPatch(message)) return api::BadRequest(message);
  if (patched.status().code() == absl::StatusCode::kFailedPrecondition) return PatchFailed();
  return api::Unmapped(500, message);
}

std::string ConverterProblem(const std::string& json_problem) {
  constexpr std::string_view kStart = "json: cannot unmarshal ", kInto = " into Go ",
                             kType = " of type ";
  const std::string_view text = json_problem;
  const std::size_t into = text.find(kInto), type_at = text.rfind(kType);
  if (!text.starts_with(kStart) || into == text.npos || type_at == text.npos) return json_problem;
  const std::string_view kind = KindOf(text.substr(kStart.size(), into - kStart.size()));
  const std::string_view type = text.substr(type_at + kType.size());
  if (type.starts_with("[]")) return fmt::format("cannot restore slice from {}", kind);
  if (type.starts_with("map[")) return fmt::format("cannot restore map from {}", kind);
  const bool text_type = type == "string" || IsNamedString(type);
  if (!text_type && type.find('.') != type.npos)
    return fmt::format("cannot restore struct from: {}", kind);
  // A conversion that reflect could do, but JSON does not.
  const bool convertible =
      text_type ? kind == "int64" : type.starts_with("int") && kind == "float64";
  if (convertible) return fmt::format("cannot convert {} to {}", kind, type);
  return fmt::format("unrecognized type: {}", text_type ? "string" : type);
}

}  // namespace ksim::apiserver
