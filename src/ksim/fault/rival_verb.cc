#include "ksim/fault/rival_verb.h"

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "ksim/client/core/payloads.h"
#include "ksim/fault/repeated_strikes.h"
#include "ksim/fault/server_answers.h"

namespace ksim::fault {
namespace {

// How many writes lose where the scenario says neither `times` nor `for`: one more than
// client-go's DefaultRetry tries (util/retry/util.go), so that a loop of RetryOnConflict is over.
constexpr std::int64_t kUsualTimes = 6;

bool IsUpdate(api::Verb verb) {
  return verb == api::Verb::kUpdate || verb == api::Verb::kPatch || verb == api::Verb::kDelete;
}

}  // namespace

// The rival writes at the moment at which a write arrives that insists on the object's newest
// version: no earlier, so that the client has no way to know.
FaultEffect Rival(FaultCall& call) {
  const api::ResourceInfo* const r = call.Resource();  // null: any
  if (call.Process("client") == nullptr || (call.Has("resource") && r == nullptr))
    return Skipped(fmt::format("there is no {}", TargetOf(call.spec())));
  call.Begin();
  return StrikeRequests(
      call, kUsualTimes,
      [r, client = call.Text("client"), cluster = &call.cluster(),
       fault = call.sim().context().cause](const api::Request& q) {
        if (q.client != client || !IsUpdate(q.verb) || (r != nullptr && q.resource != r))
          return Strike::Not();
        if (const std::string why = WhyNeverSaid(409, q, *cluster); !why.empty())
          return Strike::Not(fmt::format("the {} of {} that came cannot lose: {}",
                                         api::ToString(q.verb), q.resource->resource, why));
        return WriteFirst(q, *cluster, fault) ? Strike::Of() : Strike::Not();
      });
}

// Answers: two writes lose, six, twenty; all for 16 s, for 51 s.
void DrawRival(DrawnQuestion& question) {
  constexpr std::int64_t kTimes[] = {2, 6, 20};
  constexpr Duration kFor[] = {Seconds(16), Seconds(51)};
  const api::Request& q = question.event().payload.As<client::RequestPayload>().request;
  if (!IsUpdate(q.verb) || !WhyNeverSaid(409, q, question.cluster()).empty()) return;
  const std::uint32_t n = question.AskAboutStream(std::size(kTimes) + std::size(kFor) + 1);
  if (n == 0) return;
  const value::Value args = StreamOf(question.client(), question.resource());
  if (n <= std::size(kTimes))
    question.Fire("rival", args.Set("times", value::Value::Of(kTimes[n - 1])));
  else
    question.Fire("rival", args.Set("for", Text(FormatDuration(kFor[n - 1 - std::size(kTimes)]))));
}

}  // namespace ksim::fault
