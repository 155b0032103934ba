#include "ksim/fault/request_verbs.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>

#include "ksim/api/core/verbs.h"
#include "ksim/client/core/payloads.h"
#include "ksim/fault/server_answers.h"

namespace ksim::fault {
namespace {

using apiserver::CommitFault;
using client::Mishap;

// The writes of a client that a fault waits for. Each strikes the next one that a server could
// answer so; `passed_over` says why it could not answer the last one that it was not for.
struct Waiting {
  Waiting(FaultCall& call, int c)
      : cluster(call.cluster()),
        client(call.Text("client")),
        verb(call.Text("verb")),
        resource(call.Resource()),
        code(c) {}

  bool Fits(const api::Request& q) {
    const bool meant = !struck && q.client == client && !api::IsRead(q.verb) &&
                       (verb.empty() || api::ToString(q.verb) == verb) &&
                       (resource == nullptr || q.resource == resource);
    if (!meant || code == 0) return meant;
    const std::string why = WhyNeverSaid(code, q, cluster);
    if (!why.empty())
      passed_over = fmt::format("no API server answers {} to the {} of {} that came: {}", code,
                                api::ToString(q.verb), q.resource->resource, why);
    return why.empty();
  }

  Cluster& cluster;
  const std::string client, verb;
  const api::ResourceInfo* const resource;  // null: any
  const int code;                           // 0: nothing is answered
  bool struck = false;
  std::string passed_over;
};

FaultEffect Until(const std::shared_ptr<Waiting>& waiting, std::function<void()> undo) {
  FaultEffect effect;
  effect.strikes = AtOnce;
  effect.undo = std::move(undo);
  effect.passed_over = [waiting] { return waiting->passed_over; };
  return effect;
}

// Begins a fault that waits, if there is whom it waits for; null if not.
std::shared_ptr<Waiting> BeginWaiting(FaultCall& call, int code) {
  if (call.Process("client") == nullptr || (call.Has("resource") && call.Resource() == nullptr))
    return nullptr;
  call.Begin();
  return std::make_shared<Waiting>(call, code);
}

FaultEffect NobodyThere(FaultCall& call) {
  return Skipped(fmt::format("there is no {}", TargetOf(call.spec())));
}

// `mishap` befalls the next write that fits, as it arrives at a server.
FaultEffect AtArrival(FaultCall& call, int code,
                      const std::function<Mishap(const api::Request&)>& mishap) {
  const std::shared_ptr<Waiting> waiting = BeginWaiting(call, code);
  if (waiting == nullptr) return NobodyThere(call);
  client::FaultHooks& hooks = call.cluster().fault_hooks();
  const int judge = hooks.AddJudge([waiting, mishap, tell = call.Struck()](const api::Request& q) {
    if (!waiting->Fits(q)) return Mishap();
    waiting->struck = true;
    tell(q.event);
    return mishap(q);
  });
  return Until(waiting, [&hooks, judge] { hooks.RemoveJudge(judge); });
}

// `trouble` befalls the next write that fits, as the server sends it to etcd.
FaultEffect AtCommit(FaultCall& call, int code, CommitFault trouble) {
  const std::shared_ptr<Waiting> waiting = BeginWaiting(call, code);
  if (waiting == nullptr) return NobodyThere(call);
  return Until(waiting,
               call.BefallCommits([waiting, trouble, tell = call.Struck()](const api::Request& q) {
                 if (!waiting->Fits(q)) return CommitFault();
                 waiting->struck = true;
                 tell(q.event);
                 return trouble;
               }));
}

CommitFault Trouble(CommitFault::Kind kind, bool applied) {
  CommitFault trouble;
  trouble.kind = kind;
  trouble.applied = applied;
  return trouble;
}

Mishap Answered(api::Status status) {
  Mishap mishap;
  mishap.kind = Mishap::Kind::kRejected;
  mishap.status = std::move(status);
  return mishap;
}

}  // namespace

FaultEffect RejectWrite(FaultCall& call) {
  const int code = call.Has("code") ? static_cast<int>(call.Int("code")) : 500;
  if (code == 500) return AtCommit(call, code, Trouble(CommitFault::Kind::kRefused, false));
  if (code == 504) return AtCommit(call, code, Trouble(CommitFault::Kind::kStuck, false));
  Cluster* cluster = &call.cluster();
  // The seq of the fault's `begin`, once it has begun.
  const auto begin = std::make_shared<std::uint64_t>(0);
  FaultEffect effect = AtArrival(call, code, [=](const api::Request& q) {
    std::optional<api::Status> early = EarlyAnswer(code, q, *cluster);
    if (early) return Answered(*std::move(early));
    WriteFirst(q, *cluster, *begin);
    return Mishap();
  });
  *begin = call.sim().context().cause;
  return effect;
}

// The answer is lost, with the write applied or not: the client waits until its time is up. Or
// etcd's answer is: then the server says so.
FaultEffect TimeoutWrite(FaultCall& call) {
  const bool applied = call.spec().args.Get("applied").AsBool();
  const auto code = static_cast<int>(call.Int("code"));
  if (code == 500) return AtCommit(call, code, Trouble(CommitFault::Kind::kTimedOut, applied));
  if (code == 504) return AtCommit(call, code, Trouble(CommitFault::Kind::kStuck, applied));
  return AtArrival(call, 0, [applied](const api::Request&) {
    Mishap mishap;
    mishap.kind = applied ? Mishap::Kind::kAnswerLost : Mishap::Kind::kRequestLost;
    return mishap;
  });
}

// --- draws ---

// Answers: the codes that clients handle each in a way of its own and that a server could give.
void DrawRejectWrite(DrawnQuestion& question) {
  const api::Request& q = question.event().payload.As<client::RequestPayload>().request;
  std::array<int, 3> codes = {};
  std::uint32_t known = 0;
  for (const int code : {500, 429, 409})
    if (WhyNeverSaid(code, q, question.cluster()).empty()) codes[known++] = code;
  const std::uint32_t n = question.AskAboutStream(known + 1);
  if (n == 0) return;
  question.Fire("rejectWrite", StreamOf(question.client(), question.resource())
                                   .Set("verb", Text(question.verb()))
                                   .Set("code", value::Value::Of(codes[n - 1])));
}

// Answers: the write is applied; it is not; the same as the server says 504; as etcd says 500.
void DrawTimeoutWrite(DrawnQuestion& question) {
  constexpr int kCodes[] = {0, 504, 500};
  const std::uint32_t n = question.AskAboutStream(2 * std::size(kCodes) + 1);
  if (n == 0) return;
  const int code = kCodes[(n - 1) / 2];
  value::Value args = StreamOf(question.client(), question.resource())
                          .Set("verb", Text(question.verb()))
                          .Set("applied", value::Value::Of(n % 2 == 1));
  if (code != 0) args = args.Set("code", value::Value::Of(code));
  question.Fire("timeoutWrite", std::move(args));
}

}  // namespace ksim::fault
