#include "ksim/apiserver/conversion/review.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "ksim/api/core/go_text.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/apiserver/outbound/review_answer.h"
#include "ksim/value/json.h"

namespace ksim::apiserver {
namespace {

using value::Obj;
using value::Value;

constexpr std::string_view kReviewGroup = "apiextensions.k8s.io";

// %T of a value in an unstructured object.
std::string_view GoType(const Value& v) {
  if (v.is_null()) return "<nil>";
  if (v.is_object()) return "map[string]interface {}";
  if (v.is_array()) return "[]interface {}";
  if (v.is_string()) return "string";
  if (v.is_bool()) return "bool";
  return v.is_int() ? "int64" : "float64";
}

std::string_view GroupVersionOf(const Value& tree) { return tree.Get("apiVersion").AsString(); }

// field.ErrorList.ToAggregate
std::string Aggregate(const std::vector<api::StatusCause>& errors) {
  std::vector<std::string> texts;
  for (const api::StatusCause& error : errors)
    texts.push_back(fmt::format("{}: {}", error.field, error.message));
  return texts.size() == 1 ? texts.front() : fmt::format("[{}]", fmt::join(texts, ", "));
}

// getConvertedObjectsFromResponse: why the review has no converted objects, or "".
std::string ReviewProblem(const Value& review, std::string_view version, std::string_view uid) {
  constexpr std::string_view kWanted = "apiextensions.k8s.io/v1, Kind=ConversionReview";
  const bool checked = version == "v1";
  const std::string kind =
      review.is_null() ? std::string("/, Kind=") : GroupVersionKindText(review);
  if (checked && kind != kWanted)
    return fmt::format("expected webhook response of {}, got {}", kWanted, kind);
  const Value& response = review.Get("response");
  if (response.is_null()) return "no response provided";
  const std::string_view given = response.Get("uid").AsString();
  if (checked && given != uid)
    return fmt::format("expected response.uid={}, got {}", api::GoQuote(uid), api::GoQuote(given));
  const std::string_view status = response.Get("result").Get("status").AsString();
  if (status == "Success") return "";
  const std::string_view message = response.Get("result").Get("message").AsString();
  if (!message.empty()) return std::string(message);
  return fmt::format("response.result.status was '{}', not 'Success'", status);
}

// validateConvertedObject: names and uid are the same; the kind has been looked at.
std::string IdentityProblem(const Value& in, const Value& out) {
  const Value& before = in.Get("metadata");
  const Value& after = out.Get("metadata");
  for (const auto& [field, word] :
       {std::pair("name", "name"), std::pair("namespace", "namespace"), std::pair("uid", "UID")}) {
    const std::string_view had = before.Get(field).AsString(), has = after.Get(field).AsString();
    if (had != has) return fmt::format("must have the same {}: {} != {}", word, had, has);
  }
  return "";
}

// Labels or annotations as the webhook has left them: why they are wrong, or "".
std::string MapProblem(std::string_view field, const Value& had, const Value& has,
                       api::Compat compat) {
  if (!has.is_object())
    return fmt::format("invalid metadata.{} of type {} in converted object", field, GoType(has));
  for (const Value::Member& m : has.members()) {
    if (!m.value.is_string())
      return fmt::format("metadata.{}[{}] must be a string, but is {} in converted object", field,
                         m.name.text(), GoType(m.value));
  }
  if (had == has) return "";
  api::FieldErrorList errors(compat);
  const api::FieldPath metadata("metadata");
  if (field == "labels") {
    api::ValidateLabels(has, metadata.Child("labels"), &errors);
  } else {
    api::ValidateAnnotations(has, metadata.Child("annotation"), &errors);
  }
  return errors.empty() ? "" : Aggregate(errors.Take());
}

// restoreObjectMeta: the metadata of the original, with labels and annotations of the converted
// object. Sets `problem` if these are wrong.
Value RestoredMetadata(const Value& original, const Value& converted, api::Compat compat,
                       std::string* problem) {
  if (!converted.Has("metadata")) {
    *problem = "missing metadata in converted object";
    return Value();
  }
  const Value& given = converted.Get("metadata");
  if (!given.is_object()) {
    *problem = fmt::format("invalid metadata of type {} in converted object", GoType(given));
    return Value();
  }
  Value restored = original.Get("metadata");
  for (const std::string_view field : {"labels", "annotations"}) {
    const Value& has = given.Get(field);
    if (has.is_null()) {
      restored = restored.Erase(field);
      continue;
    }
    *problem = MapProblem(field, restored.Get(field), has, compat);
    if (!problem->empty()) return Value();
    restored = restored.Set(field, has);
  }
  return restored;
}

// unstructured.UnmarshalJSON: why a part of the answer is no object, or "".
std::string ObjectProblem(const Value& object) {
  if (object.is_null()) return "unexpected end of JSON input";
  if (!object.is_object())
    return fmt::format(
        "json: cannot unmarshal {} into Go value of type struct {{ Items gojson.RawMessage }}",
        object.is_array()    ? "array"
        : object.is_string() ? "string"
                             : "number");
  if (object.Get("kind").AsString().empty())
    return fmt::format("Object 'Kind' is missing in '{}'", value::ToJson(object));
  return "";
}

}  // namespace

std::string_view ConversionReviewVersion(const Value& review_versions) {
  for (const Value& version : review_versions.items()) {
    if (version.AsString() == "v1" || version.AsString() == "v1beta1") return version.AsString();
  }
  return "";
}

std::string ConversionRequest(std::string_view version, std::string_view uid,
                              std::string_view desired_api_version, const Value& object) {
  const Value request = Obj({{"uid", Value::Of(uid)},
                             {"desiredAPIVersion", Value::Of(desired_api_version)},
                             {"objects", value::Arr({object})}});
  const Value response = Obj({{"uid", Value::Of("")},
                              {"convertedObjects", Value()},
                              {"result", Obj({{"metadata", Obj({})}})}});
  return value::ToJson(Obj({{"kind", Value::Of("ConversionReview")},
                            {"apiVersion", Value::Of(fmt::format("{}/{}", kReviewGroup, version))},
                            {"request", request},
                            {"response", response}}));
}

api::Status ConversionFailed(const Value& original, std::string_view why) {
  return api::Unmapped(500, fmt::format("conversion webhook for {} failed: {}",
                                        GroupVersionKindText(original), why));
}

api::Result<Value> ReadConversion(const WebhookAnswer& answer, std::string_view version,
                                  std::string_view uid, std::string_view desired_api_version,
                                  const Value& original, api::Compat compat) {
  const ReviewAnswer read =
      ReadReviewAnswer(answer, ReviewKind(kReviewGroup, "ConversionReview", version));
  if (!read.problem.empty()) return ConversionFailed(original, read.problem);
  std::string problem = ReviewProblem(read.review, version, uid);
  if (!problem.empty()) return ConversionFailed(original, problem);
  const std::string kind = GroupVersionKindText(original);
  const auto returned = [&kind](std::string_view what, std::string_view why) {
    return api::Unmapped(500,
                         fmt::format("conversion webhook for {} returned {}: {}", kind, what, why));
  };
  const Value& objects = read.review.Get("response").Get("convertedObjects");
  if (objects.size() != 1)
    return api::Unmapped(
        500, fmt::format("conversion webhook for {} returned {} objects, expected 1", kind,
                         objects.size()));
  const Value& object = objects.at(0);
  problem = ObjectProblem(object);
  if (!problem.empty()) return api::Unmapped(500, problem);
  if (GroupVersionOf(object) != desired_api_version)
    return returned("invalid object at index 0",
                    fmt::format("invalid groupVersion (expected {}, received {})",
                                desired_api_version, GroupVersionOf(object)));
  const std::string_view had = original.Get("kind").AsString(), has = object.Get("kind").AsString();
  if (had != has)
    return returned("invalid object at index 0",
                    fmt::format("invalid kind (expected {}, received {})", had, has));
  problem = IdentityProblem(original, object);
  if (!problem.empty()) return returned("invalid object", problem);
  const Value metadata = RestoredMetadata(original, object, compat, &problem);
  if (!problem.empty()) return returned("invalid metadata", problem);
  return object.Set("metadata", metadata);
}

}  // namespace ksim::apiserver
