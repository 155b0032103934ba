#include "ksim/fault/webhook_verbs.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ksim/fault/repeated_strikes.h"

namespace ksim::fault {

// The API server waits as long as timeoutSeconds says, or as the request has, and then does what
// failurePolicy says.
FaultEffect SlowWebhook(FaultCall& call) {
  call.Begin();
  return StrikeRepeatedly(call, 1, [&call](const std::shared_ptr<Repetition>& repetition) {
    return call.BefallWebhooks([repetition, name = call.Text("webhook"), by = call.Time("by")](
                                   std::string_view webhook, std::uint64_t event) {
      apiserver::WebhookFault fault;
      if (webhook != name || repetition->over()) return fault;
      repetition->Struck(event);
      fault.later = by.value_or(Duration());
      fault.hangs = !by;
      return fault;
    });
  });
}

// Answers: one call is not answered; none for 16 s, for 51 s; for as long each comes 4 s later.
void DrawSlowWebhook(DrawnQuestion& question) {
  constexpr Duration kFor[] = {Seconds(16), Seconds(51)};
  const std::uint32_t n = question.Ask(question.resource(), std::size(kFor) + 3);
  if (n == 0) return;
  value::Value args = value::Obj({{"webhook", Text(question.resource())}});
  if (n == 1) return question.Fire("slowWebhook", std::move(args));
  const Duration lasts = kFor[std::min<std::size_t>(n - 2, std::size(kFor) - 1)];
  args = args.Set("for", Text(FormatDuration(lasts)));
  if (n > std::size(kFor) + 1) args = args.Set("by", Text(FormatDuration(Seconds(4))));
  question.Fire("slowWebhook", std::move(args));
}

}  // namespace ksim::fault
