#include "ksim/client/cache/informer_queues.h"

#include <utility>

#include "ksim/client/cache/shared_informer.h"

namespace ksim::client {
namespace {

// A factory makes no others.
SharedIndexInformer& InsideOf(SharedInformer& informer) {
  return static_cast<SharedIndexInformer&>(informer);
}

}  // namespace

std::vector<InformerQueues> QueuesOf(const InformerFactory& factory) {
  std::vector<InformerQueues> all;
  for (SharedInformer* informer : factory.informers()) {
    const SharedIndexInformer& inside = InsideOf(*informer);
    InformerQueues queues;
    queues.resource = informer->resource();
    queues.deltas = inside.queue().size();
    for (const Processor::Listener& listener : inside.processor().listeners()) {
      if (listener == nullptr) continue;
      InformerQueues::Listener one;
      one.name = std::string(listener->actor().name());
      one.pending = listener->size();
      queues.listeners.push_back(std::move(one));
    }
    all.push_back(std::move(queues));
  }
  return all;
}

void LogTo(const InformerFactory& factory, CacheLog* log) {
  for (SharedInformer* informer : factory.informers()) {
    SharedIndexInformer& inside = InsideOf(*informer);
    if (inside.log() == nullptr) inside.LogTo(log);
  }
}

}  // namespace ksim::client
