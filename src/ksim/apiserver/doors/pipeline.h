// Pipeline: the part of an API server behind its doors. A door turns a message of its kind of
// connection into an api::Request, and passes answers and watch events back; the pipeline, which
// the server implements, serves the request and knows nothing of connections.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "ksim/api/request.h"

namespace ksim::apiserver {

class Pipeline {
 public:
  // Called once, unless the server dies first or goes down: then it is destroyed uncalled.
  using Reply = absl::AnyInvocable<void(api::Response)>;

  virtual ~Pipeline() = default;
  virtual const std::string& name() const = 0;
  virtual bool accepting() const = 0;
  // Serves a request other than a watch. The pipeline must be accepting. The running step's cause
  // is the event that the request's stages are caused by.
  virtual void Serve(api::Request&& request, Reply&& reply) = 0;
  // The reply with code 200 comes before the first event of the sink.
  virtual void ServeWatch(api::Request&& request, Reply&& reply,
                          std::shared_ptr<api::WatchSink> sink) = 0;
  // The client has closed its watch. Unknown ids are ignored, here and below.
  virtual void CloseWatch(std::uint64_t stream) = 0;
  // The client reads again after WatchSink::Send has returned false.
  virtual void ResumeWatch(std::uint64_t stream) = 0;
};

}  // namespace ksim::apiserver
