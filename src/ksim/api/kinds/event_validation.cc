// Source: pkg/apis/core/validation/events.go.
#include <fmt/format.h>

#include <string>

#include "ksim/api/core/go_text.h"
#include "ksim/api/kinds/kind_validation.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"

namespace ksim::api {

using value::Value;

namespace {

bool IsCore(const Value& event) { return event.Get("apiVersion").AsString() != "events.k8s.io/v1"; }

// The fields of either API under the names of the internal type, which the messages use.
struct Fields {
  explicit Fields(bool core)
      : object(core ? "involvedObject" : "regarding"),
        reporter(core ? "reportingComponent" : "reportingController"),
        message(core ? "message" : "note"),
        first(core ? "firstTimestamp" : "deprecatedFirstTimestamp"),
        last(core ? "lastTimestamp" : "deprecatedLastTimestamp"),
        count(core ? "count" : "deprecatedCount"),
        source(core ? "source" : "deprecatedSource") {}
  const char* object;
  const char* reporter;
  const char* message;
  const char* first;
  const char* last;
  const char* count;
  const char* source;
};

void AtMost(const Value& text, std::string_view field, std::size_t max, FieldErrorList* errors) {
  if (text.AsString().size() <= max) return;
  errors->Invalid(FieldPath(field), "", fmt::format("can have at most {} characters", max));
}

// An event with an eventTime was made through the newer API.
void CheckNewFields(const Value& event, const Fields& f, FieldErrorList* errors) {
  const FieldPath controller(f.reporter);
  const std::string_view reporter = event.Get(f.reporter).AsString();
  if (reporter.empty()) errors->Required(controller);
  errors->InvalidAll(controller, reporter, QualifiedName(reporter, errors->compat()));
  for (const char* field : {"reportingInstance", "action", "reason"}) {
    if (event.Get(field).AsString().empty()) errors->Required(FieldPath(field));
    AtMost(event.Get(field), field, 128, errors);
  }
  AtMost(event.Get(f.message), "message", 1024, errors);
}

void CheckSeries(const Value& series, FieldErrorList* errors) {
  if (series.is_null()) return;
  if (series.Get("count").AsInt() < 2) {
    errors->Invalid(FieldPath("series.count"), "", "should be at least 2");
  }
  if (series.Get("lastObservedTime").is_null()) {
    errors->Required(FieldPath("series.lastObservedTime"));
  }
}

void MustBeUnset(bool unset, std::string_view field, FieldErrorList* errors) {
  if (!unset) errors->Invalid(FieldPath(field), "", "needs to be unset");
}

// How Go and, from 1.36 on, JSON show a core.ObjectReference.
std::string ReferenceText(const Value& ref, Compat compat) {
  constexpr const char* kFields[][2] = {{"Kind", "kind"},
                                        {"Namespace", "namespace"},
                                        {"Name", "name"},
                                        {"UID", "uid"},
                                        {"APIVersion", "apiVersion"},
                                        {"ResourceVersion", "resourceVersion"},
                                        {"FieldPath", "fieldPath"}};
  const bool json = compat == Compat::k1_36;
  std::string out;
  for (const auto& [go, name] : kFields) {
    if (!out.empty()) out += json ? "," : ", ";
    out += json ? fmt::format("\"{}\":", go) : fmt::format("{}:", go);
    out += GoQuote(ref.Get(name).AsString());
  }
  return json ? "{" + out + "}" : "core.ObjectReference{" + out + "}";
}

void ReferenceStays(const Value& now, const Value& before, std::string_view field,
                    FieldErrorList* errors) {
  if (now == before) return;
  const std::string text =
      now.is_null() && field == "related" ? "null" : ReferenceText(now, errors->compat());
  errors->Add("FieldValueInvalid", fmt::format("Invalid value: {}: field is immutable", text),
              std::string(field));
}

void TextStays(const Value& now, const Value& before, std::string_view field,
               FieldErrorList* errors) {
  if (now.AsString() == before.AsString()) return;
  errors->Invalid(FieldPath(field), now.AsString(), "field is immutable");
}

void TimeStays(const Value& now, const Value& before, std::string_view field,
               FieldErrorList* errors) {
  if (now == before) return;
  const bool json = errors->compat() == Compat::k1_36;
  if (now.is_null() && !json) {
    errors->Add("FieldValueInvalid",
                "Invalid value: 0001-01-01 00:00:00 +0000 UTC: field is immutable",
                std::string(field));
  } else {
    errors->Invalid(FieldPath(field), now, GoShape::kTime, "field is immutable");
  }
}

}  // namespace

// legacyValidateEvent.
void ValidateEvent(const Value& tree, FieldErrorList* errors) {
  const Fields f(IsCore(tree));
  const FieldPath involved("involvedObject");
  const std::string_view ns = tree.Get("metadata").Get("namespace").AsString();
  const std::string_view about = tree.Get(f.object).Get("namespace").AsString();
  const bool timed = !tree.Get("eventTime").is_null();
  bool matches = about.empty() ? ns.empty() || ns == "default" : ns == about;
  if (timed) matches = !about.empty() || ns == "default" || ns == "kube-system";
  if (!matches) {
    errors->Invalid(involved.Child("namespace"), about, "does not match event.namespace");
  }
  if (timed) CheckNewFields(tree, f, errors);
  errors->InvalidAll(FieldPath("namespace"), ns, Dns1123Subdomain(ns));
}

// ValidateEventCreate, what events.k8s.io asks for beside.
void ValidateNewEvent(const Value& tree, FieldErrorList* errors) {
  const Fields f(IsCore(tree));
  CheckSeries(tree.Get("series"), errors);
  if (tree.Get("eventTime").is_null()) errors->Required(FieldPath("eventTime"));
  const std::string_view type = tree.Get("type").AsString();
  if (type != "Normal" && type != "Warning") {
    errors->Invalid(FieldPath("type"), "", fmt::format("has invalid value: {}", type));
  }
  MustBeUnset(tree.Get(f.first).is_null(), "firstTimestamp", errors);
  MustBeUnset(tree.Get(f.last).is_null(), "lastTimestamp", errors);
  MustBeUnset(tree.Get(f.count).AsInt() == 0, "count", errors);
  MustBeUnset(tree.Get(f.source).empty(), "source", errors);
}

// ValidateEventUpdate of events.k8s.io: only the series may change.
void ValidateEventUpdate(const Value& tree, const Value& old, FieldErrorList* errors) {
  const Fields f(IsCore(tree));
  const Fields b(IsCore(old));
  if (tree.Get("series") != old.Get("series")) CheckSeries(tree.Get("series"), errors);
  ReferenceStays(tree.Get(f.object), old.Get(b.object), "involvedObject", errors);
  TextStays(tree.Get("reason"), old.Get("reason"), "reason", errors);
  TextStays(tree.Get(f.message), old.Get(b.message), "message", errors);
  if (tree.Get(f.source) != old.Get(b.source) &&
      !(tree.Get(f.source).empty() && old.Get(b.source).empty())) {
    errors->Invalid(FieldPath("source"), tree.Get(f.source), GoShape::kOther, "field is immutable");
  }
  TimeStays(tree.Get(f.first), old.Get(b.first), "firstTimestamp", errors);
  TimeStays(tree.Get(f.last), old.Get(b.last), "lastTimestamp", errors);
  if (tree.Get(f.count).AsInt() != old.Get(b.count).AsInt()) {
    errors->Invalid(FieldPath("count"), tree.Get(f.count).AsInt(), "field is immutable");
  }
  TextStays(tree.Get("reason"), old.Get("reason"), "reason", errors);
  TextStays(tree.Get("type"), old.Get("type"), "type", errors);
  TimeStays(tree.Get("eventTime"), old.Get("eventTime"), "eventTime", errors);
  TextStays(tree.Get("action"), old.Get("action"), "action", errors);
  ReferenceStays(tree.Get("related"), old.Get("related"), "related", errors);
  TextStays(tree.Get(f.reporter), old.Get(b.reporter), "reportingController", errors);
  TextStays(tree.Get("reportingInstance"), old.Get("reportingInstance"), "reportingInstance",
            errors);
}

}  // namespace ksim::api
