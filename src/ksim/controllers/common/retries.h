// ErrorUpTo: the error of a sync whose controller tries a key again so often and then drops it, as
// handleErr with maxRetries does.
//
// Source: pkg/controller/endpointslice/endpointslice_controller.go handleErr; the same in others.
#pragma once
#include <string>
#include <utility>

#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"

namespace ksim::controllers {

inline client::ReconcileResult ErrorUpTo(int max_retries, const client::WorkQueue& queue,
                                         const std::string& key, std::string message) {
  if (queue.NumRequeues(key) < max_retries)
    return client::ReconcileResult::Error(std::move(message));
  return client::ReconcileResult::Dropped(std::move(message));
}

}  // namespace ksim::controllers
