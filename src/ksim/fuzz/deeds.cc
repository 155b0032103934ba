#include "ksim/fuzz/deeds.h"

#include <fmt/format.h>

#include <cstddef>

#include "ksim/api/core/verbs.h"

namespace ksim::fuzz {
namespace {

using sim::EventKind;
using trace::Record;
using trace::Trace;

std::string ObjectOf(const Record& r) {
  if (r.kind == EventKind::kRuntime) return fmt::format("pods/{}", r.Text("pod"));
  std::string out(r.Text("resource"));
  for (std::string_view field : {"namespace", "name"})
    if (!r.Text(field).empty()) out += fmt::format("/{}", r.Text(field));
  return out;
}

// The name that a server gave to what a request created; "" if it has a name, or created nothing.
std::string GivenName(const Trace& trace, const Record& request) {
  if (request.kind != EventKind::kRequest || !request.Text("name").empty()) return "";
  for (std::size_t i = request.seq; i < trace.events.size(); ++i) {
    const Record& r = trace.events[i];
    if (r.kind == EventKind::kCommit && r.Int("request") == request.Int("id"))
      return fmt::format("/{}", r.Text("name"));
    if (r.kind == EventKind::kResponse && r.Int("id") == request.Int("id")) return "";
  }
  return "";
}

}  // namespace

bool IsDeed(const Record& r) {
  if (r.kind == EventKind::kRuntime) return true;
  if (r.kind != EventKind::kRequest || api::IsRead(r.Text("verb"))) return false;
  const std::string_view resource = r.Text("resource");
  return r.actor != "kubectl" && !resource.starts_with("events") && resource != "leases";
}

bool IsLike(const Record& a, const Record& b) {
  if (a.kind != b.kind || a.actor != b.actor) return false;
  for (std::string_view field : {"verb", "resource", "subresource", "namespace", "name"})
    if (a.Text(field) != b.Text(field)) return false;
  return true;
}

std::string_view VerbOf(const Record& deed) {
  return deed.Text(deed.kind == EventKind::kRuntime ? "action" : "verb");
}

std::string_view ResourceOf(const Record& deed) {
  return deed.kind == EventKind::kRuntime ? std::string_view("containers") : deed.Text("resource");
}

std::string Does(std::string_view verb) {
  if (verb == "deletecollection") return "deletes all of";
  if (verb.ends_with("ch")) return fmt::format("{}es", verb);
  return fmt::format("{}s", verb);
}

std::string DeedText(const Trace& trace, const Record& deed) {
  const std::string verb = Does(VerbOf(deed));
  if (deed.kind == EventKind::kRuntime)
    return fmt::format("{} container {} of {}", verb, deed.Text("container"), ObjectOf(deed));
  if (api::IsRead(deed.Text("verb")))
    return fmt::format("{} {} at {}, resourceVersion \"{}\"", verb, ObjectOf(deed),
                       deed.Text("server"), deed.Get("params").Get("resourceVersion").AsString());
  const std::string_view part = deed.Text("subresource");
  if (part.empty()) return fmt::format("{} {}{}", verb, ObjectOf(deed), GivenName(trace, deed));
  return fmt::format("{} the {} of {}", verb, part, ObjectOf(deed));
}

}  // namespace ksim::fuzz
