// HttpDoor: the door for clients that speak HTTP. It turns an HTTP request into the request of the
// server's pipeline, and answers and watch events into HTTP's; connections are connection.h's, and
// whoever moves the bytes calls this once a request is whole.
//
// Source: apiserver pkg/server/config.go DefaultBuildHandlerChain, pkg/endpoints/handlers.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/apiserver/doors/http/derived_answers.h"
#include "ksim/apiserver/doors/http/message.h"
#include "ksim/apiserver/doors/http/pod_log.h"
#include "ksim/apiserver/doors/http/request_reader.h"
#include "ksim/apiserver/doors/http/response_writer.h"
#include "ksim/apiserver/doors/pipeline.h"
#include "ksim/sim/simulation.h"

namespace ksim::apiserver::http {

// The user that requests without credentials of their own have.
inline constexpr std::string_view kDefaultUser = "system:admin";

struct OpenWatch {
  OpenWatch() = default;
  StreamId stream = 0;
  bool paused = false;
};

// One client's connection at the door. What it does to the cluster is a function of the calls
// below: the writer only takes what is said, and may be null for a client that is not there (a
// replay, a connection that broke).
class HttpSession {
 public:
  // `sim` and `kinds` outlive the session; so does the writer, or until SetWriter(nullptr).
  HttpSession(sim::Simulation& sim, const api::Kinds& kinds, ResponseWriter* writer,
              api::Compat compat = api::kDefaultCompat);
  ~HttpSession();
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  void SetWriter(ResponseWriter* writer);
  // The lines of containers; null: there are none. Outlives the session.
  void SetLogs(NodeLogs* logs) { logs_ = logs; }

  // Inside a step. `pipeline` outlives the session, or until the request is answered.
  void Serve(Pipeline& pipeline, StreamId stream, const HttpRequest& request);
  // The client has given the request up; a stream that is not open is ignored, here and below.
  void Gone(StreamId stream);
  // The client does not read: the watch of this stream sends nothing until Resume.
  void Pause(StreamId stream);
  void Resume(StreamId stream);

  // Requests that have no answer yet, and watches that are not open yet. Logs that are followed
  // count as neither.
  std::size_t unanswered() const;
  std::vector<OpenWatch> watches() const;
  // Neither of both, and no log that is followed.
  bool IsIdle() const;

 private:
  struct Streams;
  class Answer;
  class Watch;
  class FollowedLog;
  void ServeLog(Pipeline& pipeline, Answer answer, const HttpRequest& http, const Url& url,
                api::Request request);
  void ServeDerived(Pipeline& pipeline, Answer answer, DerivedAnswer derived,
                    const HttpRequest& http, const Url& url, api::Request request);
  void ServeWatch(Pipeline& pipeline, Answer answer, AnswerForm form, api::Request request);
  void ServeOne(Pipeline& pipeline, Answer answer, AnswerForm form, api::Request request);

  sim::Simulation& sim_;
  const api::Kinds& kinds_;
  const api::Compat compat_;
  NodeLogs* logs_ = nullptr;
  std::shared_ptr<Streams> streams_;  // callbacks that outlive the session look at it
};

}  // namespace ksim::apiserver::http
