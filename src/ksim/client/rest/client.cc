#include "ksim/client/client.h"

#include <type_traits>
#include <utility>

#include "ksim/api/core/verbs.h"
#include "ksim/base/check.h"
#include "ksim/client/core/payloads.h"
#include "ksim/client/core/token_bucket.h"
#include "ksim/client/rest/exchange.h"
#include "ksim/client/rest/fault_hooks.h"
#include "ksim/client/rest/watch_pipe.h"

namespace ksim::client {
namespace {

constexpr int kMaxRetries = 10;  // rest/request.go maxRetries
constexpr Duration kConnectionRetryPause = Seconds(1);

Access AccessOf(api::Verb verb) { return api::IsRead(verb) ? Access::kRead : Access::kWrite; }

// The wait before the request is sent again; nullopt: the answer stands (CLIENT-37).
// Source: rest/with_retry.go IsNextRetry, rest/request.go Watch and request.
std::optional<Duration> RetryPause(Access access, const api::Response& r) {
  if (r.code == 429 || r.code >= 500) {
    if (r.status.details->retry_after_seconds <= 0) return std::nullopt;
    return Seconds(r.status.details->retry_after_seconds);
  }
  if (access == Access::kWrite || !api::IsConnectionLost(r.status)) return std::nullopt;
  return kConnectionRetryPause;
}

api::Request NewRequest(api::Verb verb, const api::ResourceInfo* r, SharedText ns,
                        SharedText name) {
  KSIM_CHECK(r != nullptr) << "request of an unknown resource";
  api::Request request;
  request.verb = verb;
  request.resource = r;
  request.ns = std::move(ns);
  request.name = std::move(name);
  return request;
}

api::Request RequestAbout(api::Verb verb, const api::ResourceInfo* r, const api::Object& object) {
  api::Request request = NewRequest(verb, r, object.ns(), object.name());
  if (verb == api::Verb::kUpdate) {
    request.body = object.tree();
    request.body_version = object.resource_version();
  } else {
    request.body = object.ToTree();
  }
  request.believed_uid = object.uid();
  return request;
}

// An empty watch: what client-go hands out when opening one failed for good (CLIENT-37).
class EmptyWatch : public WatchStream {
 public:
  sim::Task<std::optional<api::WatchEvent>> Next() override { co_return std::nullopt; }
  api::StreamEnd end() const override { return api::StreamEnd::kEof; }
  std::uint64_t id() const override { return 0; }
  void Stop() override {}
};

// A call returns one of three views of its answer: all of it, the response, or the object or the
// Status that says why there is none.
template <class Result>
Result ResultOf(std::unique_ptr<Answer> answer) {
  if constexpr (std::is_same_v<Result, std::unique_ptr<Answer>>) {
    return answer;
  } else if constexpr (std::is_same_v<Result, api::Response>) {
    return std::move(answer->response);
  } else {
    if (answer->ok()) return std::move(answer->response.object);
    return std::move(answer->response.status);
  }
}

// Limits that are not set are 5 requests a second and 10 at once
// (rest.RESTClientForConfigAndClient).
ClientOptions Defaulted(ClientOptions options) {
  const ClientOptions defaults;
  if (options.qps == 0) options.qps = defaults.qps;
  if (options.burst == 0) options.burst = defaults.burst;
  return options;
}

}  // namespace

struct Client::Impl {
  Impl(const ClientOptions& o, const std::string& process)
      : options(Defaulted(o)), process_name(process) {
    if (options.user.empty()) options.user = process;
    user = options.user;
    if (options.limiter == nullptr)
      options.limiter =
          std::make_shared<TokenBucket>(TokenBucket::PerSecond(options.qps, options.burst));
  }
  ClientOptions options;
  SharedText process_name, user;  // who its requests come from
};

Client::Client(Connection& connection, sim::ActorId actor, ClientOptions options)
    : connection_(connection),
      actor_(actor),
      impl_(std::make_unique<Impl>(options, connection.process().name())) {}
Client::~Client() = default;

const ClientOptions& Client::options() const { return impl_->options; }

// The request and its retries. `stream` is set for a watch, and filled if one was opened.
template <class Result>
sim::Task<Result> Client::Ask(api::Request request, std::unique_ptr<WatchStream>* stream) {
  sim::Simulation& sim = connection_.env().sim;
  const Access access = AccessOf(request.verb);
  request.actor = actor_;
  request.client = impl_->process_name;
  request.user = impl_->user;
  request.user_agent = impl_->process_name;
  const Duration timeout = stream == nullptr ? impl_->options.timeout : Duration();
  for (int attempt = 1;; ++attempt) {
    if (stream == nullptr || attempt > 1) {
      const Duration wait = impl_->options.limiter->Reserve(connection_.process().SteadyNow());
      if (wait > Duration()) co_await sim.Sleep(wait, sim::TimerKind::kWork, "client rate limit");
    }
    FaultHooks* hooks = connection_.env().faults;
    if (hooks != nullptr && hooks->has_gates()) {
      co_await PassGates(hooks, actor_, access);
    }
    std::shared_ptr<WatchPipe> pipe;
    if (stream != nullptr) {
      pipe =
          std::make_shared<WatchPipe>(connection_.link(), connection_.server(), request.resource);
    }
    std::unique_ptr<Answer> answer =
        co_await Exchange(connection_, std::move(request), timeout, pipe);
    const api::Response& response = answer->response;
    const api::Request& sent = answer->sent.As<RequestPayload>().request;
    last_request_id_ = sent.id;
    last_response_event_ = answer->event;
    if (stream != nullptr && answer->ok()) *stream = pipe->MakeStream(response.stream);
    const std::optional<Duration> pause = RetryPause(access, response);
    if (!pause) co_return ResultOf<Result>(std::move(answer));
    if (attempt > kMaxRetries) {
      if (stream != nullptr && response.code == 0) *stream = std::make_unique<EmptyWatch>();
      co_return ResultOf<Result>(std::move(answer));
    }
    request = sent;
    co_await sim.Sleep(*pause, sim::TimerKind::kWork, "retry after");
  }
}

sim::Task<api::Response> Client::Do(api::Request request) {
  KSIM_CHECK(request.verb != api::Verb::kWatch) << "a watch needs Client::Watch";
  return Ask<api::Response>(std::move(request));
}

sim::Task<Client::ObjectResult> Client::Get(const api::ResourceInfo* r, SharedText ns,
                                            SharedText name, SharedText resource_version) {
  api::Request request = NewRequest(api::Verb::kGet, r, std::move(ns), std::move(name));
  request.list.resource_version = std::move(resource_version);
  return Ask<ObjectResult>(std::move(request));
}

sim::Task<api::Result<ListResult>> Client::List(const api::ResourceInfo* r, SharedText ns,
                                                api::ListOptions options) {
  api::Request request = NewRequest(api::Verb::kList, r, std::move(ns), {});
  request.list = std::move(options);
  const std::unique_ptr<Answer> answer = co_await Ask<std::unique_ptr<Answer>>(std::move(request));
  api::Response& response = answer->response;
  if (!answer->ok()) co_return std::move(response.status);
  ListResult result;
  result.items = std::move(response.items);
  result.resource_version = response.list_rv;
  result.continue_token = response.continue_token;
  result.remaining_item_count = response.remaining_item_count;
  co_return std::move(result);
}

sim::Task<api::Result<std::unique_ptr<WatchStream>>> Client::Watch(const api::ResourceInfo* r,
                                                                   SharedText ns,
                                                                   api::ListOptions options) {
  api::Request request = NewRequest(api::Verb::kWatch, r, std::move(ns), {});
  request.list = std::move(options);
  std::unique_ptr<WatchStream> stream;
  const std::unique_ptr<Answer> answer =
      co_await Ask<std::unique_ptr<Answer>>(std::move(request), &stream);
  if (stream == nullptr) co_return std::move(answer->response.status);
  co_return std::move(stream);
}

sim::Task<Client::ObjectResult> Client::Create(const api::ResourceInfo* r, api::Object object) {
  api::Request request = RequestAbout(api::Verb::kCreate, r, object);
  request.believed_uid.clear();
  return Ask<ObjectResult>(std::move(request));
}

sim::Task<Client::ObjectResult> Client::Update(const api::ResourceInfo* r, api::Object object,
                                               SharedText subresource) {
  api::Request request = RequestAbout(api::Verb::kUpdate, r, object);
  request.subresource = std::move(subresource);
  return Ask<ObjectResult>(std::move(request));
}

sim::Task<Client::ObjectResult> Client::UpdateStatus(const api::ResourceInfo* r,
                                                     api::Object object) {
  return Update(r, std::move(object), "status");
}

sim::Task<Client::ObjectResult> Client::Patch(const api::ResourceInfo* r, SharedText ns,
                                              SharedText name, value::Value patch,
                                              PatchOptions options) {
  api::Request request = NewRequest(api::Verb::kPatch, r, std::move(ns), std::move(name));
  request.body = std::move(patch);
  request.patch_type = options.type;
  request.subresource = options.subresource;
  request.field_manager = options.field_manager;
  request.force = options.force;
  return Ask<ObjectResult>(std::move(request));
}

sim::Task<Client::ObjectResult> Client::Delete(const api::ResourceInfo* r, SharedText ns,
                                               SharedText name, api::DeleteOptions options) {
  api::Request request = NewRequest(api::Verb::kDelete, r, std::move(ns), std::move(name));
  request.believed_uid = options.uid.value_or("");
  request.del = std::move(options);
  return Ask<ObjectResult>(std::move(request));
}

sim::Task<Client::ObjectResult> Client::CreateSubresource(const api::ResourceInfo* r, SharedText ns,
                                                          SharedText name, SharedText subresource,
                                                          value::Value body) {
  api::Request request = NewRequest(api::Verb::kCreate, r, std::move(ns), std::move(name));
  request.subresource = std::move(subresource);
  request.body = std::move(body);
  return Ask<ObjectResult>(std::move(request));
}

}  // namespace ksim::client
