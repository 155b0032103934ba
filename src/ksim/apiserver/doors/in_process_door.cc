#include "ksim/apiserver/doors/in_process_door.h"

#include <utility>

#include "ksim/base/check.h"

namespace ksim::apiserver {

void InProcessDoor::Accept(api::Request request, Pipeline::Reply reply,
                           std::shared_ptr<api::WatchSink> sink) {
  if (!pipeline_.accepting()) return;  // the reply dies uncalled: a lost connection
  if (request.resource != nullptr && !request.resource->namespaced) request.ns.clear();
  sim::Context& context = sim_.context();
  const std::uint64_t before = std::exchange(context.cause, request.event);
  if (request.verb == api::Verb::kWatch) {
    KSIM_CHECK(sink != nullptr) << "a watch needs a sink";
    pipeline_.ServeWatch(std::move(request), std::move(reply), std::move(sink));
  } else {
    pipeline_.Serve(std::move(request), std::move(reply));
  }
  context.cause = before;
}

}  // namespace ksim::apiserver
