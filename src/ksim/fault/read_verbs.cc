#include "ksim/fault/read_verbs.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "ksim/api/core/verbs.h"
#include "ksim/apiserver/core/continue_token.h"
#include "ksim/client/core/payloads.h"
#include "ksim/fault/repeated_strikes.h"
#include "ksim/fault/server_answers.h"

namespace ksim::fault {
namespace {

// apiserver pkg/server/filters/wrap.go WithPanicRecovery: plain text, out of which a client makes a
// Status (api/errors NewGenericServerResponse).
api::Status Panicked(const api::Request& q) {
  constexpr std::string_view kWhy =
      "This request caused apiserver to panic. Look in the logs for details.";
  api::Status status = api::Unmapped(
      500, fmt::format("an error on the server (\"{}\") has prevented the request from succeeding "
                       "({} {})",
                       kWhy, api::ToString(q.verb),
                       api::GroupResource(q.resource->group, q.resource->resource).ToString()));
  status.reason = "InternalError";
  status.details->causes.emplace_back("UnexpectedServerResponse", std::string(kWhy), "");
  return status;
}

// Why no server would answer 410 to the read; "" if one could. What it says is made true then: etcd
// forgets the version of the list.
std::string WhyNeverExpired(const api::Request& q, Cluster& cluster) {
  if (q.verb == api::Verb::kWatch) return "the 410 of a watch is the fault expire";
  if (q.verb == api::Verb::kGet || q.list.continue_token.empty())
    return "only a continue token expires";
  const auto token = apiserver::DecodeContinue(q.list.continue_token);
  if (!token.ok()) return "its continue token is none";
  if (token->revision < 0) return "its list goes on at the newest version";
  if (token->revision >= cluster.etcd().store().revision())
    return "its list is of the newest version of the store";
  return "";
}

std::string WhyNeverRefused(int code, const api::Request& q, Cluster& cluster) {
  if (code == 410) return WhyNeverExpired(q, cluster);
  return code == 500 || code == 503 ? "" : WhyNeverSaid(code, q, cluster);
}

// etcd3/errors.go handleCompactedErrorForPaging. `fresh`: with a token that goes on at the newest
// version, as all servers since 1.11 give it.
api::Status ExpiredPage(const api::Request& q, bool fresh, Cluster& cluster, std::uint64_t cause) {
  const auto token = apiserver::DecodeContinue(q.list.continue_token);
  store::Store& store = cluster.etcd().store();
  sim::Context& context = cluster.sim().context();
  const std::uint64_t before = std::exchange(context.cause, cause);
  if (store.compact_revision() <= token->revision)
    (void)store.Compact(store::CompactRequest(token->revision + 1,
                                              store::WriteOrigin(sim::ActorId::Of("ksim"), 0)));
  context.cause = before;
  if (fresh) return apiserver::ExpiredContinue(*token);
  return api::Expired(
      "The provided continue parameter is too old to display a consistent list result. You can "
      "start a new list without the continue parameter.");
}

// `cause`: the seq of the fault.
api::Status StatusOf(int code, const api::Request& q, bool fresh, Cluster& cluster,
                     std::uint64_t cause) {
  if (code == 410) return ExpiredPage(q, fresh, cluster, cause);
  if (code == 500) return Panicked(q);
  // cacher.go Get, GetList and Watch: up to 1.30, as long as the cache is not ready.
  if (code == 503) return api::ServiceUnavailable("storage is (re)initializing");
  return *EarlyAnswer(code, q, cluster);
}

// Which of a client's reads are meant.
class Reads {
 public:
  explicit Reads(FaultCall& call)
      : client_(call.Text("client")),
        verb_(call.Text("verb")),
        resource_(call.Resource()),
        page_(call.Int("page")) {}

  bool Mean(const api::Request& q) {
    if (q.client != client_ || !api::IsRead(q.verb)) return false;
    if (resource_ != nullptr && q.resource != resource_) return false;
    if (page_ != 0 && PageOf(q) != page_) return false;
    return verb_.empty() || api::ToString(q.verb) == verb_;
  }

 private:
  // The pages of a list come one after the other; 0: it is no list. Each page's first try counts.
  std::int64_t PageOf(const api::Request& q) {
    if (q.verb != api::Verb::kList) return 0;
    const std::string token(q.list.continue_token);
    if (token.empty()) {
      reached_ = 1;
    } else if (token != token_) {
      ++reached_;
    }
    token_ = token;
    return reached_;
  }

  const std::string client_, verb_;
  const api::ResourceInfo* const resource_;  // null: any
  const std::int64_t page_;                  // 0: any
  std::int64_t reached_ = 1;
  std::string token_;
};

}  // namespace

const std::vector<int>& ReadRejectingCodes() {
  static const std::vector<int>& codes = *new std::vector<int>{401, 403, 410, 429, 500, 503};
  return codes;
}

FaultEffect RejectRead(FaultCall& call) {
  if (call.Process("client") == nullptr || (call.Has("resource") && call.Resource() == nullptr))
    return Skipped(fmt::format("there is no {}", TargetOf(call.spec())));
  call.Begin();
  const int code = call.Has("code") ? static_cast<int>(call.Int("code")) : 500;
  const bool fresh = !call.Has("freshToken") || call.spec().args.Get("freshToken").AsBool();
  return StrikeRequests(
      call, 1,
      [reads = Reads(call), code, fresh, retry = call.Time("retryAfter"), cluster = &call.cluster(),
       fault = call.sim().context().cause](const api::Request& q) mutable {
        if (!reads.Mean(q)) return Strike::Not();
        if (const std::string why = WhyNeverRefused(code, q, *cluster); !why.empty())
          return Strike::Not(fmt::format("no API server answers {} to the {} of {} that came: {}",
                                         code, api::ToString(q.verb), q.resource->resource, why));
        client::Mishap mishap;
        mishap.kind = client::Mishap::Kind::kRejected;
        mishap.status = StatusOf(code, q, fresh, *cluster, fault);
        if (retry)
          mishap.status.details->retry_after_seconds =
              static_cast<int>(retry->ns() / Seconds(1).ns());
        return Strike::Of(std::move(mishap));
      });
}

// Answers: 429 as the filter says it, eleven times, which is once more than client-go tries; 500;
// of a page that can expire also 410.
void DrawRejectRead(DrawnQuestion& question) {
  constexpr std::int64_t kMoreThanRetries = 11;
  const api::Request& q = question.event().payload.As<client::RequestPayload>().request;
  const bool expires = WhyNeverExpired(q, question.cluster()).empty();
  const std::string subject = fmt::format("{}/{}", question.client(), question.resource());
  const std::uint32_t n = question.Ask(subject, expires ? 4 : 3);
  if (n == 0) return;
  value::Value args =
      StreamOf(question.client(), question.resource()).Set("verb", Text(question.verb()));
  if (n == 1) args = args.Set("times", value::Value::Of(kMoreThanRetries));
  constexpr int kCodes[] = {429, 500, 410};
  question.Fire("rejectRead", args.Set("code", value::Value::Of(kCodes[n - 1])));
}

}  // namespace ksim::fault
