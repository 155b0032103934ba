#include "ksim/trace/event_line.h"

#include <fmt/format.h>

#include "ksim/base/time.h"
#include "ksim/trace/schema.h"

namespace ksim::trace {

std::string EventLine(const Record& r) {
  std::string out =
      fmt::format("#{} {} {} {}", r.seq, FormatTime(VirtualTime(r.t)), r.actor, KindName(r.kind));
  for (std::string_view field : {"verb", "type", "op", "stage", "action", "state"})
    if (!r.Text(field).empty()) out += fmt::format(" {}", r.Text(field));
  const std::string_view resource = r.Text("resource");
  if (!resource.empty()) {
    out += fmt::format(" {}", resource);
    if (!r.Text("subresource").empty()) out += fmt::format("/{}", r.Text("subresource"));
    if (!r.Text("name").empty()) out += fmt::format(" {}", r.Text("name"));
  }
  for (std::string_view field : {"key", "pod", "controller", "oracle", "target"})
    if (!r.Text(field).empty()) out += fmt::format(" {}", r.Text(field));
  for (std::string_view field : {"rv", "code"})
    if (r.Get(field).is_int() && r.Int(field) != 0)
      out += fmt::format(" {} {}", field, r.Int(field));
  return out;
}

}  // namespace ksim::trace
