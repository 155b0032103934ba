// LoopbackClient: how a part of the API server asks its own server, as system:apiserver, through
// the pipeline that serves its clients: no network lies between them.
//
// Source: apiserver pkg/server/options/serving.go (LoopbackClientConfig).
#pragma once
#include "ksim/api/request.h"
#include "ksim/sim/task.h"

namespace ksim::apiserver {

class LoopbackClient {
 public:
  virtual ~LoopbackClient() = default;
  // Any request but a watch; it says verb, resource, names, body and options, and in `event` its
  // cause. Everything else is set here.
  virtual sim::Task<api::Response> Do(api::Request request) = 0;
};

}  // namespace ksim::apiserver
