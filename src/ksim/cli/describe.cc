#include "ksim/cli/describe.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/cli/describe_text.h"
#include "ksim/value/json.h"

namespace ksim::cli {
namespace {

using value::Value;

// "podIP" -> "Pod IP", "lastTransitionTime" -> "Last Transition Time" (smartLabelFor).
std::string Title(std::string_view field) {
  std::string out;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const char c = field[i];
    const bool upper = c >= 'A' && c <= 'Z';
    const bool after_upper = i > 0 && field[i - 1] >= 'A' && field[i - 1] <= 'Z';
    if (i > 0 && upper && !after_upper) out += ' ';
    out += i == 0 && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return out;
}

std::string Scalar(const Value& v) {
  return v.is_string() ? std::string(v.AsString()) : value::ToJson(v);
}

bool IsScalar(const Value& v) { return !v.is_object() && !v.is_array(); }

void PrintTree(const Value& v, int indent, std::string* out);

void PrintField(const std::string& title, const Value& v, int indent, std::string* out) {
  const std::string pad(static_cast<std::size_t>(indent), ' ');
  if (IsScalar(v)) {
    *out += fmt::format("{}{}:\t{}\n", pad, title, Scalar(v));
    return;
  }
  if (v.empty()) return;
  *out += fmt::format("{}{}:\n", pad, title);
  PrintTree(v, indent + 2, out);
}

void PrintTree(const Value& v, int indent, std::string* out) {
  if (v.is_array()) {
    for (const Value& item : v.items()) {
      if (IsScalar(item))
        *out +=
            fmt::format("{}{}\n", std::string(static_cast<std::size_t>(indent), ' '), Scalar(item));
      else
        PrintTree(item, indent, out);
    }
    return;
  }
  for (const Value::Member& m : v.members()) {
    const std::string_view name = m.name.text();
    // Keys of maps (labels, resources) are names, not fields.
    const bool key = name.find_first_of("./-") != std::string_view::npos;
    PrintField(key ? std::string(name) : Title(name), m.value, indent, out);
  }
}

}  // namespace

std::vector<api::Object> EventsAbout(const trace::State& state, std::string_view ns,
                                     std::string_view kind, std::string_view name) {
  std::vector<api::Object> out;
  for (api::Object& e : state.List("events", ns)) {
    const Value& about =
        e.tree().Has("regarding") ? e.tree().Get("regarding") : e.tree().Get("involvedObject");
    if (!kind.empty() && about.Get("kind").AsString() != kind) continue;
    if (!name.empty() && about.Get("name").AsString() != name) continue;
    out.push_back(std::move(e));
  }
  std::stable_sort(out.begin(), out.end(), [](const api::Object& a, const api::Object& b) {
    return a.resource_version() < b.resource_version();
  });
  return out;
}

std::string DescribeGenerically(const api::Object& object, const trace::State& state) {
  TabWriter w;
  w.Write(0, "Name:\t{}\nNamespace:\t{}\n", object.name(), object.ns());
  WriteLabels(w, "Labels", object.labels());
  WriteAnnotations(w, "Annotations", object.annotations());
  w.Write(0, "API Version:\t{}\nKind:\t{}\n", object.api_version(), object.kind());
  Value metadata = object.ToTree().Get("metadata");
  for (std::string_view known : {"name", "namespace", "labels", "annotations", "managedFields"})
    metadata = metadata.Erase(known);
  std::string tree;
  PrintField("Metadata", metadata, 0, &tree);
  for (const Value::Member& m : object.tree().members()) {
    const std::string_view name = m.name.text();
    if (name == "metadata" || name == "apiVersion" || name == "kind") continue;
    PrintField(Title(name), m.value, 0, &tree);
  }
  w.Write(0, "{}", tree);
  WriteEvents(w, EventsAbout(state, object.ns(), object.kind(), object.name()),
              VirtualTime(state.time()));
  return w.Take();
}

}  // namespace ksim::cli
