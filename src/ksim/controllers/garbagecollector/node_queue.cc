#include "ksim/controllers/garbagecollector/node_queue.h"

#include <utility>

namespace ksim::controllers {

NodeQueue::NodeQueue(const ControllerContext& context, std::string prefix, Worker worker)
    : prefix_(std::move(prefix)),
      worker_(std::move(worker)),
      queue_(context.process, client::DefaultControllerRateLimiter(context.process)),
      loop_(context.connection, context.name, queue_, *this),
      changed_(context.env().sim) {}

NodeQueue::~NodeQueue() = default;

void NodeQueue::Add(const NodePtr& node) { queue_.Add(Keep(node)); }

void NodeQueue::AddRateLimited(const NodePtr& node) { queue_.AddRateLimited(Keep(node)); }

void NodeQueue::Start(int workers) { loop_.Start(workers); }

sim::Task<void> NodeQueue::Pause() {
  paused_ = true;
  while (at_work_ > 0) co_await changed_.Wait();
}

void NodeQueue::Resume() {
  paused_ = false;
  changed_.Notify();
}

std::string NodeQueue::Keep(const NodePtr& node) {
  ForgetFinished();
  std::string key = prefix_ + node->key;
  nodes_.emplace(key, node);
  return key;
}

void NodeQueue::ForgetFinished() {
  for (const std::string& key : finished_)
    if (!queue_.Has(key)) nodes_.erase(key);
  finished_.clear();
}

sim::Task<client::ReconcileResult> NodeQueue::Reconcile(std::string key) {
  while (paused_) co_await changed_.Wait();
  ForgetFinished();
  const auto it = nodes_.find(key);
  if (it == nodes_.end()) co_return client::ReconcileResult::Done();
  const NodePtr node = it->second;
  ++at_work_;
  client::ReconcileResult result = co_await worker_(node);
  --at_work_;
  if (paused_) changed_.Notify();
  finished_.push_back(std::move(key));
  co_return result;
}

}  // namespace ksim::controllers
