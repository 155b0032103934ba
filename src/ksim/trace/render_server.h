// The part of Render that knows what etcd and the API servers emit.
#pragma once
#include "ksim/api/object.h"
#include "ksim/trace/render.h"

namespace ksim::trace {

// stage, commit, compact, and watch, event and deliver of either kind of server.
void RenderServer(const sim::Event& event, const RenderOptions& options, Record* record);

// namespace, name and uid of an object; empty ones without it.
void AddNames(const api::Object& object, Record* record);

}  // namespace ksim::trace
