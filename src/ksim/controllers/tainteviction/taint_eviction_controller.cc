#include "ksim/controllers/tainteviction/taint_eviction_controller.h"

#include <utility>
#include <vector>

#include "ksim/controllers/common/cache_sync.h"
#include "ksim/controllers/common/manager_client.h"

namespace ksim::controllers {
TaintEvictionController::TaintEvictionController(ControllerContext context)
    : context_(std::move(context)),
      pods_(context_.informers.For(context_.Resource("", "pods"))),
      nodes_(context_.informers.For(context_.Resource("", "nodes"))),
      eviction_(context_, ManagerClient(context_, "node-controller")) {}

void TaintEvictionController::Start() {
  using api::Object;
  pod_handlers_.add = [this](const Object& pod, bool) { eviction_.PodUpdated({}, pod); };
  pod_handlers_.update = [this](const Object& a, const Object& b) { eviction_.PodUpdated(a, b); };
  pod_handlers_.del = [this](const client::Deleted& d) { eviction_.PodUpdated(d.object, {}); };
  node_handlers_.add = [this](const Object& node, bool) { eviction_.NodeUpdated({}, node); };
  node_handlers_.update = [this](const Object& a, const Object& b) { eviction_.NodeUpdated(a, b); };
  node_handlers_.del = [this](const client::Deleted& d) { eviction_.NodeUpdated(d.object, {}); };
  pods_.AddHandler(context_.actor(), &pod_handlers_);
  nodes_.AddHandler(context_.actor(), &node_handlers_);
  context_.process.Spawn(Run(), context_.name);
}

sim::Task<void> TaintEvictionController::Run() {
  const std::vector<client::SharedInformer*> informers = {&pods_, &nodes_};
  co_await WaitForNamedSync(context_, informers);
  eviction_.StartWorkers();
}

}  // namespace ksim::controllers
