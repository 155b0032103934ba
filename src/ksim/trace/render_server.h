// The part of Render that knows what etcd and the API servers emit.
#pragma once
#include <cstdint>
#include <string_view>

#include "ksim/api/object.h"
#include "ksim/trace/render.h"
#include "ksim/value/value.h"

namespace ksim::trace {

// stage, commit, compact, and watch, event and deliver of either kind of server.
void RenderServer(const sim::Event& event, const RenderOptions& options, Record* record);

// Fields of records.
inline value::Value Number(std::uint64_t n) {
  return value::Value::Of(static_cast<std::int64_t>(n));
}
inline value::Value Text(std::string_view s) { return value::Value::String(s); }

// namespace, name and uid of an object; empty ones without it.
void AddNames(const api::Object& object, Record* record);

}  // namespace ksim::trace
