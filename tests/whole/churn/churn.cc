#include "tests/whole/churn/churn.h"

#include <fmt/format.h>

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "ksim/check/checker.h"
#include "ksim/client/rest/fault_hooks.h"
#include "ksim/scenario/component.h"
#include "ksim/value/json.h"
#include "tests/whole/churn/reflector_laws.h"
#include "tests/whole/churn/two_servers.h"

namespace ksim::churn {
namespace {

constexpr const char* kResynced = "/resynced";
constexpr const char* kPlain = "/plain";

// The body of each client process: an informer of pods with two handlers, one of which wants
// resyncs.
class Reader : public scenario::Component::Body {
 public:
  Reader(sim::Process& process, client::InformerFactory& informers, const api::ResourceInfo* pods) {
    client::SharedInformer& informer = informers.For(pods);
    informer.AddHandler(process.PartActor("resynced"), &handlers_[0], Seconds(30));
    informer.AddHandler(process.PartActor("plain"), &handlers_[1], Seconds(-1));
  }

 private:
  client::HandlerFuncs handlers_[2];
};

value::Value Json(std::string_view text) { return *value::ParseJson(text); }

value::Value Pod(std::string_view name) {
  return Json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default"},
    "spec":{"containers":[{"name":"c","image":"i:1"}]}})")
      .Set(value::Path{"metadata", "name"}, value::Value::Of(name));
}

class Run {
 public:
  explicit Run(const ChurnOptions& options)
      : options_(options),
        checker_({"watch.ordered", "watch.unique", "watch.reliable", "watch.resumable",
                  "watch.bookmarkable", "watch.atomic", "resume.ordered", "resume.unique",
                  "resume.reliable", "view.monotone", "list.snapshot", "informer.converges",
                  "handlers.fold"}),
        laws_({"reader-0/resynced", "reader-1/resynced"}),
        tap_(options.mutant, kResynced, kPlain,
             [this](const check::Observation& o) {
               checker_.Take(o);
               laws_.Take(o);
               if (options_.legal != nullptr) options_.legal->Take(o);
             }),
        cluster_(options.seed, options.compat, [this](const sim::Event& e) { OnEvent(e); }),
        pods_(cluster_.pods()),
        site_(cluster_.sim.decisions().Site("churn")) {
    cluster_.env.variants = api::ResolveVariants(options.compat, options.variants);
    for (std::size_t i = 0; i < 2; ++i) AddReader(i);
  }

  // The tasks go before the members that they wait on.
  ~Run() { cluster_.sim.Shutdown(); }

  std::string Go() {
    for (int i = 0; i < options_.steps && Violation().empty(); ++i) {
      Write();
      if (OneIn(2)) Fault();
      if (OneIn(4)) Heal();
      Pass();
    }
    Heal();
    cluster_.Advance(Minutes(4));
    for (const auto& reader : readers_) reader->informers()->EmitCacheEvents(0);
    if (options_.legal != nullptr) options_.legal->Finish();
    check::RunEnd end;
    end.t = (cluster_.sim.now() - VirtualTime()).ns();
    end.quiet = true;
    checker_.Finish(end);
    return Violation();
  }

 private:
  void OnEvent(const sim::Event& e) {
    if (observer_.Observe(e, &observation_)) tap_.Pass(observation_);
  }

  std::int64_t Dice(std::uint32_t n) { return cluster_.sim.decisions().Draw(site_, 0, n); }
  bool OneIn(std::uint32_t n) { return Dice(n) == 0; }
  std::size_t DrawIndex() { return static_cast<std::size_t>(Dice(2)); }

  // Advances mostly by a moment, at times by so much that all requests time out.
  void Pass() {
    if (OneIn(25)) return cluster_.Advance(Minutes(2));
    cluster_.Advance(OneIn(6) ? Seconds(Dice(40)) : Milliseconds(Dice(600)));
  }

  void AddReader(std::size_t i) {
    const std::string name = fmt::format("reader-{}", i);
    client::ClientOptions unlimited;
    unlimited.user = name;
    unlimited.qps = -1;
    readers_.push_back(std::make_unique<scenario::Component>(
        cluster_.env, name, cluster_.server(i).endpoint(), unlimited,
        [this](sim::Process& process, client::Connection&, client::InformerFactory& informers) {
          return std::make_unique<Reader>(process, informers, &pods_);
        }));
    readers_.back()->process().Start();
  }

  std::string Violation() const {
    std::string what = laws_.violation();
    if (!checker_.findings().empty()) {
      const trace::Violation& v = checker_.findings()[0].violation;
      what = fmt::format("{}: {}", v.oracle, v.message);
    }
    if (what.empty()) return what;
    return fmt::format("{} (seed {}, {})", what, options_.seed, api::ToString(options_.compat));
  }

  void Write() {
    const std::string name = fmt::format("p{}", Dice(5));
    const std::size_t to = DrawIndex();
    api::Request create = cluster_.About(api::Verb::kCreate, "pods", "");
    create.body = Pod(name);
    api::Request remove = cluster_.About(api::Verb::kDelete, "pods", name);
    remove.del.grace_period_seconds = 0;
    api::Request patch = cluster_.About(api::Verb::kPatch, "pods", name);
    patch.body = Json(fmt::format(R"({{"metadata":{{"labels":{{"tier":"{}"}}}}}})", Dice(9)));
    if (OneIn(3)) WriteSomethingElse();
    switch (Dice(8)) {
      case 0:
      case 1:
      case 2:
        cluster_.Send(create, to);
        break;
      case 3:
        cluster_.Send(remove, to);
        break;
      case 4:
        cluster_.Send(remove, to);
        cluster_.Advance(Milliseconds(5));
        cluster_.Send(create, to);
        break;
      default:
        cluster_.Send(patch, to);
    }
  }

  // Moves the revision, and with it the bookmarks, past the last pod.
  void WriteSomethingElse() {
    api::Request request = cluster_.About(api::Verb::kCreate, "configmaps", "");
    request.body = Json(R"({"metadata":{"generateName":"m-","namespace":"default"}})");
    cluster_.Send(std::move(request), DrawIndex());
  }

  void Fault() {
    const std::size_t i = DrawIndex();
    if (OneIn(12)) return GoesWhileQueued(i);
    if (OneIn(12)) return MovesToTheStale(i);
    if (OneIn(12)) return GoesOnFromABookmark(i);
    switch (Dice(3)) {
      case 0:
        return OfServer(cluster_.server(i));
      case 1:
        return OfStreams(fmt::format("reader-{}", i));
      default:
        return DisturbReader(*readers_[i], i);
    }
  }

  // The queue gets a pod's creation, and the pod is deleted before the cache has it; the deletion
  // falls into a gap of the watch.
  void GoesWhileQueued(std::size_t i) {
    const std::string reader = fmt::format("reader-{}", i);
    if (slow_.insert(reader).second) cluster_.hooks.HandlerGate(reader, &pods_).Close();
    api::Request create = cluster_.About(api::Verb::kCreate, "pods", "");
    create.body = Pod("brief");
    cluster_.Send(std::move(create), i);
    cluster_.Advance(Milliseconds(50));
    cluster_.hooks.CutStreams(reader, &pods_, api::Expired("too old resource version"));
    api::Request remove = cluster_.About(api::Verb::kDelete, "pods", "brief");
    remove.del.grace_period_seconds = 0;
    cluster_.Send(std::move(remove), i);
    cluster_.Advance(Seconds(3));
  }

  // Only other kinds were written for so long that a bookmark is the last event of the client's
  // watch.
  void GoesOnFromABookmark(std::size_t i) {
    Heal();
    WriteSomethingElse();
    cluster_.Advance(Minutes(2) + Seconds(10));
    cluster_.hooks.CutStreams(fmt::format("reader-{}", i), &pods_, api::Status());
  }

  // The client moves to a server that has not seen the client's version yet, and must list there.
  void MovesToTheStale(std::size_t i) {
    cluster_.server(1 - i).faults().watch_cache(pods_).Freeze();
    readers_[i]->ConnectTo(cluster_.server(i).endpoint());
    for (int n = 0; n < 3; ++n) Write();
    cluster_.Advance(Milliseconds(200));
    readers_[i]->ConnectTo(cluster_.server(1 - i).endpoint());
    if (OneIn(3)) {  // it forgets what it has seen
      sim::Process& process = readers_[i]->process();
      if (process.alive()) process.Kill();
      process.Start();
    }
    cluster_.hooks.CutStreams(fmt::format("reader-{}", i), &pods_,
                              api::Expired("too old resource version"));
    cluster_.Advance(Minutes(1) + Seconds(Dice(60)));
  }

  void OfServer(apiserver::Server& server) {
    switch (Dice(7)) {
      case 0:
        if (server.process().alive()) server.process().Kill();
        break;
      case 1:
        server.faults().watch_cache(pods_).Freeze();
        break;
      case 2:
        server.faults().watch_cache(pods_).SetLag(Milliseconds(Dice(8000)));
        break;
      case 3:
        server.faults().watch_cache(pods_).Reinit();
        break;
      case 4:
      case 5:
        server.faults().watch_cache(pods_).ExpireHistory();
        break;
      default: {
        const auto compacted = cluster_.etcd.store().Compact(
            store::CompactRequest(cluster_.etcd.store().revision() - Dice(3), {}));
        static_cast<void>(compacted);
      }
    }
  }

  void OfStreams(const std::string& reader) {
    switch (Dice(4)) {
      case 0:
        cluster_.hooks.CutStreams(reader, &pods_, api::Status());
        break;
      case 1:
        cluster_.hooks.CutStreams(reader, &pods_, api::InternalError("undecodable"));
        break;
      case 2:
        cluster_.hooks.CutStreams(reader, &pods_, api::Expired("too old resource version"));
        break;
      default:
        if (!held_.contains(reader)) cluster_.hooks.Hold(reader, &pods_);
        held_.insert(reader);
    }
  }

  void DisturbReader(scenario::Component& reader, std::size_t i) {
    switch (Dice(4)) {
      case 0:
        if (reader.process().alive()) reader.process().Kill();
        break;
      case 1:
        reader.ConnectTo(cluster_.server(DrawIndex()).endpoint());
        cluster_.hooks.CutStreams(fmt::format("reader-{}", i), &pods_, api::Status());
        break;
      default: {
        const std::string slow = fmt::format("reader-{}{}", i,
                                             Dice(3) == 0 ? ""
                                             : OneIn(2)   ? kResynced
                                                          : kPlain);
        if (!cluster_.hooks.HasHandler(slow, &pods_) || !slow_.insert(slow).second) break;
        cluster_.hooks.HandlerGate(slow, &pods_).Close();
      }
    }
  }

  void Heal() {
    for (std::size_t i = 0; i < 2; ++i) {
      apiserver::Server& server = cluster_.server(i);
      if (!server.process().alive()) server.Start();
      server.faults().watch_cache(pods_).ThawAll();
      server.faults().watch_cache(pods_).SetLag(Duration());
      sim::Process& reader = readers_[i]->process();
      if (!reader.alive()) reader.Start();
    }
    for (const std::string& reader : std::exchange(held_, {}))
      cluster_.hooks.Release(reader, &pods_);
    for (const std::string& slow : std::exchange(slow_, {}))
      cluster_.hooks.HandlerGate(slow, &pods_).Open();
  }

  ChurnOptions options_;
  check::BusObserver observer_;
  check::Observation observation_;
  check::Checker checker_;
  ReflectorLaws laws_;
  Tap tap_;
  TwoServers cluster_;
  const api::ResourceInfo& pods_;
  sim::SiteId site_;
  std::vector<std::unique_ptr<scenario::Component>> readers_;
  std::set<std::string> held_, slow_;
};

}  // namespace

std::string RunChurn(const ChurnOptions& options) { return Run(options).Go(); }

}  // namespace ksim::churn
