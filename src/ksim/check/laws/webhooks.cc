// WebhookLaw of laws/register.h: a server calls webhooks of admission about a request that it
// serves, and each answer is that of a call. Objects are converted for a server's caches too, and
// one object for several at a time.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "ksim/check/laws/register.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;
using trace::Record;

class Webhooks : public TraceLaw {
 public:
  void On(const Ledger& ledger, const Record& r) override {
    if (r.kind != Kind::kWebhook) return;
    if (r.Text("type") == "converting") {
      JudgeConversion(r);
      return;
    }
    const Asked* asked = ledger.Request(r.Int("request"));
    if (asked == nullptr) {
      Contradict(r, fmt::format("a webhook for request {}, which nobody sent", r.Int("request")));
      return;
    }
    Same(r, "the actor", r.actor, asked->request->Text("server"));
    if (r.Int("round") < 0 || r.Int("round") > 1) Contradict(r, "there are two rounds");
    const std::string call = fmt::format("{}|{}|{}|{}", r.Int("request"), r.Text("type"),
                                         r.Text("configuration"), r.Text("webhook"));
    if (r.Text("state") == "call") {
      JudgeCall(r, *asked->request);
      calls_[call] = &r;
      return;
    }
    const auto begun = calls_.find(call);
    if (begun == calls_.end()) {
      Contradict(r, fmt::format("no call of webhook {} is under way", r.Text("webhook")));
      return;
    }
    JudgeAnswer(r, *begun->second);
    calls_.erase(begun);
  }

 private:
  void JudgeConversion(const Record& r) {
    const std::string call =
        fmt::format("{}|{}|{}", r.actor, r.Text("configuration"), r.Text("webhook"));
    if (r.Text("state") == "call") {
      JudgeAsked(r);
      conversions_.emplace(call, &r);
      return;
    }
    const auto [first, last] = conversions_.equal_range(call);
    const auto begun = std::find_if(
        first, last, [&](const auto& one) { return r.t - one.second->t == r.Int("latency"); });
    if (begun == last) {
      Contradict(r, fmt::format("no conversion of {} is under way", r.Text("webhook")));
      return;
    }
    JudgeAnswer(r, *begun->second);
    conversions_.erase(begun);
  }

  void JudgeCall(const Record& r, const Record& request) {
    Same(r, "the call's cause", static_cast<std::int64_t>(r.cause),
         static_cast<std::int64_t>(request.seq));
    JudgeAsked(r);
  }

  void JudgeAsked(const Record& r) {
    Same(r, "the result of a call", r.Text("result"), "");
    Same(r, "the message of a call", r.Text("message"), "");
    Same(r, "the latency of a call", r.Int("latency"), 0);
    if (r.Text("url").empty()) Contradict(r, "a call of no place");
  }

  void JudgeAnswer(const Record& r, const Record& call) {
    for (const char* field : {"url", "server"}) Same(r, field, r.Text(field), call.Text(field));
    Same(r, "the round", r.Int("round"), call.Int("round"));
    Same(r, "the latency", r.Int("latency"), r.t - call.t);
    const std::string_view result = r.Text("result");
    const bool good = result == "allowed" || result == "patched" || result == "converted";
    if (result.empty()) Contradict(r, "an answer without a result");
    if (good != r.Text("message").empty()) Contradict(r, "a reason that does not go with it");
    if (r.Text("server").empty() && (good || result == "denied"))
      Contradict(r, "an answer of nobody");
  }

  std::map<std::string, const Record*> calls_;  // under way
  std::multimap<std::string, const Record*> conversions_;
};

}  // namespace

std::unique_ptr<TraceLaw> WebhookLaw() { return std::make_unique<Webhooks>(); }

}  // namespace ksim::check
