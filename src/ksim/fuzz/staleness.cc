#include "ksim/fuzz/staleness.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "ksim/apiserver/core/payloads.h"
#include "ksim/base/check.h"
#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/base/worker.h"
#include "ksim/fuzz/run.h"
#include "ksim/scenario/runner.h"
#include "ksim/value/json.h"

namespace ksim::fuzz {
namespace {

using Json = nlohmann::json;
using value::Value;

constexpr Duration kLookEvery = Milliseconds(200);

Duration StepBelow(Duration hi) {
  if (hi <= Seconds(1)) return Milliseconds(1);
  return hi <= Minutes(1) ? Milliseconds(100) : Seconds(1);
}

// Traffic that goes on for ever and says nothing of the workload.
bool IsBackground(std::string_view resource) {
  return resource == "leases" || resource == "events";
}

// The watches that clients have open, of whoever is no API server.
std::vector<StreamStaleness> StreamsOf(const scenario::Scenario& scenario, const RunSetup& setup) {
  scenario::RunnerOptions options;
  options.record = options.world.digest = false;
  if (setup.stop) options.stop = [&setup](const sim::Event&) { return setup.stop(); };
  options.stop_after = {sim::EventKind::kCommit};
  scenario::Runner runner(scenario, std::move(options));
  std::set<std::string> servers;
  for (const apiserver::Server* server : runner.world().servers()) servers.insert(server->name());
  std::set<std::pair<std::string, std::string>> streams;
  runner.world().sim().bus().Subscribe(
      sim::Bus::Stage::kOracle, {sim::EventKind::kWatch}, [&](const sim::Event& e) {
        const auto* watch = dynamic_cast<const apiserver::WatchPayload*>(e.payload.get());
        if (watch == nullptr || !watch->open || IsBackground(watch->resource->known_as())) return;
        const std::string client(watch->client.name());
        if (!servers.contains(client)) streams.emplace(client, watch->resource->known_as());
      });
  runner.Run();
  std::vector<StreamStaleness> out;
  for (const auto& [client, resource] : streams) {
    StreamStaleness& stream = out.emplace_back();
    stream.client = client;
    stream.resource = resource;
  }
  return out;
}

RunOutcome RunAsWritten(const scenario::Scenario& scenario, const RunSetup& setup) {
  const absl::StatusOr<std::unique_ptr<Run>> run = Run::Make(scenario, setup);
  KSIM_CHECK(run.ok()) << Message(run.status());
  return (*run)->Execute();
}

DelayedRun EndOf(const RunOutcome& outcome) {
  DelayedRun end;
  end.code = outcome.code;
  if (!outcome.findings.empty()) {
    end.oracle = outcome.findings.front().oracle;
    end.message = outcome.findings.front().message;
  } else if (!outcome.failed_steps.empty()) {
    end.code = kSafety;
    end.oracle = "step";
    end.message = fmt::format("step {}: {}", outcome.failed_steps.front().number,
                              outcome.failed_steps.front().error);
  } else if (outcome.code == kUndecided) {
    end.oracle = "timeout";
    end.message = "the run took too long";
  }
  return end;
}

// How long a stream is late: while the steps come, and for the ways there and back of two changes.
// It ends, since bookmarks that are late for ever would keep the run from ever becoming quiet.
Duration HowLong(const scenario::Scenario& scenario, Duration by) {
  Duration last;
  for (const scenario::Step& step : scenario.steps) last = std::max(last, step.at.value_or(last));
  return last + Duration(4 * by.ns()) + Minutes(1);
}

DelayedRun RunDelayed(scenario::Scenario scenario, const StreamStaleness& stream, Duration by,
                      const RunSetup& setup) {
  const Duration lasts = HowLong(scenario, by);
  scenario.limit.time = scenario.limit.time + lasts + by;
  scenario::FaultSpec& fault = scenario.faults.emplace_back();
  fault.at = Duration();
  fault.verb = "delayStream";
  fault.args = value::Obj({{"client", Value::Of(stream.client)},
                           {"resource", Value::Of(stream.resource)},
                           {"by", Value::Of(FormatDuration(by))},
                           {"for", Value::Of(FormatDuration(lasts))}});
  return EndOf(RunAsWritten(scenario, setup));
}

// --- between processes ---

Json JsonOf(const StreamStaleness& s) {
  Json again = Json::array();
  for (const Duration d : s.stands_again) again.push_back(FormatDuration(d));
  return {{"client", s.client},
          {"resource", s.resource},
          {"stands", FormatDuration(s.stands)},
          {"failsAt", s.fails_at ? Json(FormatDuration(*s.fails_at)) : Json()},
          {"oracle", s.oracle},
          {"message", s.message},
          {"code", s.code},
          {"monotone", s.stands_again.empty()},
          {"standsAgain", again}};
}

std::string TextOf(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

StreamStaleness ParseStream(const Value& v) {
  const auto duration = [](const Value& text) {
    return ParseDuration(std::string(text.AsString())).value_or(Duration());
  };
  StreamStaleness s;
  s.client = v.Get("client").AsString();
  s.resource = v.Get("resource").AsString();
  s.stands = duration(v.Get("stands"));
  if (v.Get("failsAt").is_string()) s.fails_at = duration(v.Get("failsAt"));
  s.oracle = v.Get("oracle").AsString();
  s.message = v.Get("message").AsString();
  s.code = static_cast<int>(v.Get("code").AsInt());
  for (const Value& again : v.Get("standsAgain").items()) s.stands_again.push_back(duration(again));
  return s;
}

// Gives each stream to a worker that has nothing to do, and takes what it found.
class Searchers {
 public:
  Searchers(const scenario::Scenario& scenario, const RunSetup& setup, Staleness* out)
      : scenario_(scenario), setup_(setup), out_(*out) {}

  absl::Status Search(const StalenessOptions& options) {
    const std::size_t hands =
        std::min(static_cast<std::size_t>(std::max(options.jobs, 1)), out_.streams.size());
    hands_.resize(hands);
    for (Hand& hand : hands_) RETURN_IF_ERROR(Hire(&hand));
    while (done_ < out_.streams.size()) {
      options.on_progress(done_, out_.streams.size());
      if (options.stop()) {
        out_.stopped = true;
        return absl::OkStatus();
      }
      std::vector<os::Worker*> busy;
      for (Hand& hand : hands_)
        if (hand.stream || GiveWork(&hand)) busy.push_back(hand.worker.get());
      os::WaitForWorkers(busy, kLookEvery);
      for (Hand& hand : hands_)
        if (hand.stream) RETURN_IF_ERROR(TakeAnswer(&hand));
    }
    return absl::OkStatus();
  }

 private:
  struct Hand {
    std::unique_ptr<os::Worker> worker;
    std::optional<std::size_t> stream;  // that it searches
  };

  absl::Status Hire(Hand* hand) {
    const auto serve = [this](std::string_view request, const os::Worker::Reply& reply) {
      std::size_t i = 0;
      std::from_chars(request.data(), request.data() + request.size(), i);
      StreamStaleness stream = out_.streams[i];
      std::uint64_t runs = 0;
      SearchStaleness(
          [&](Duration by) {
            ++runs;
            return RunDelayed(scenario_, stream, by, setup_);
          },
          &stream);
      reply(fmt::format("{{\"runs\": {}, \"stream\": {}}}", runs, TextOf(JsonOf(stream), -1)));
    };
    ASSIGN_OR_RETURN(hand->worker, os::Worker::Start(serve));
    return absl::OkStatus();
  }

  bool GiveWork(Hand* hand) {
    if (next_ == out_.streams.size()) return false;
    hand->stream = next_++;
    // A worker that is gone is noticed when it is waited for.
    hand->worker->Send(std::to_string(*hand->stream)).IgnoreError();
    return true;
  }

  absl::Status TakeAnswer(Hand* hand) {
    StreamStaleness& stream = out_.streams[*hand->stream];
    if (const std::optional<std::string> answer = hand->worker->Take()) {
      const absl::StatusOr<Value> tree = value::ParseJson(*answer);
      KSIM_CHECK(tree.ok()) << "a worker sent " << *answer;
      out_.runs += static_cast<std::uint64_t>(tree->Get("runs").AsInt());
      stream = ParseStream(tree->Get("stream"));
    } else if (hand->worker->ended()) {
      stream.code = kCrashed;
      stream.oracle = "crash";
      stream.message = "its worker ended with " + hand->worker->HowItEnded();
      RETURN_IF_ERROR(Hire(hand));
    } else {
      return absl::OkStatus();
    }
    hand->stream.reset();
    ++done_;
    return absl::OkStatus();
  }

  const scenario::Scenario& scenario_;
  const RunSetup& setup_;
  Staleness& out_;
  std::vector<Hand> hands_;
  std::size_t next_ = 0, done_ = 0;
};

}  // namespace

void SearchStaleness(const std::function<DelayedRun(Duration)>& run, StreamStaleness* stream) {
  const auto fails = [&](Duration by) {
    const DelayedRun end = run(by);
    const bool bad = !end.oracle.empty();
    if (bad && (!stream->fails_at || by < *stream->fails_at)) {
      stream->fails_at = by;
      stream->oracle = end.oracle;
      stream->message = end.message;
      stream->code = end.code;
    }
    return bad;
  };
  for (const Duration by : kLadder) {
    if (fails(by)) continue;
    if (stream->fails_at)
      stream->stands_again.push_back(by);
    else
      stream->stands = by;
  }
  while (stream->fails_at) {
    const Duration step = StepBelow(*stream->fails_at);
    const std::int64_t steps = (*stream->fails_at - stream->stands).ns() / step.ns();
    if (steps <= 1) return;
    const Duration middle = stream->stands + Duration(step.ns() * (steps / 2));
    if (!fails(middle)) stream->stands = middle;
  }
}

int Staleness::Code() const {
  static constexpr int kWorst[] = {kCrashed, kSafety, kLiveness, kUndecided};
  for (const int code : kWorst) {
    if (undelayed.code == code) return code;
    for (const StreamStaleness& s : streams)
      if (s.code == code) return code;
  }
  if (!undelayed.failed_steps.empty()) return kSafety;
  return streams.empty() ? kNothingJudged : kFine;
}

absl::StatusOr<Staleness> FindStaleness(const scenario::Scenario& scenario,
                                        const StalenessOptions& options) {
  RunSetup setup;
  setup.timeout = options.timeout;
  RunSetup stoppable = setup;
  stoppable.stop = options.stop;
  Staleness out;
  out.undelayed = RunAsWritten(scenario, stoppable);
  out.runs = 1;
  out.stopped = options.stop();
  if (out.stopped || !EndOf(out.undelayed).oracle.empty()) return out;
  out.streams = StreamsOf(scenario, stoppable);
  Searchers searchers(scenario, setup, &out);
  RETURN_IF_ERROR(searchers.Search(options));
  return out;
}

std::string ToJson(const Staleness& staleness, const std::string& scenario) {
  Json streams = Json::array();
  for (const StreamStaleness& s : staleness.streams) streams.push_back(JsonOf(s));
  const Json json = {{"apiVersion", "ksim.dev/v1"},
                     {"kind", "StalenessResult"},
                     {"scenario", scenario},
                     {"runs", staleness.runs},
                     {"interrupted", staleness.stopped},
                     {"exitCode", staleness.Code()},
                     {"streams", streams}};
  return TextOf(json, 4) + "\n";
}

}  // namespace ksim::fuzz
