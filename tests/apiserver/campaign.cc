#include "tests/apiserver/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace ksim::apiserver {
namespace {

using api::Compat;
using State = std::map<std::string, std::int64_t>;  // key -> resource version

class Dice {
 public:
  explicit Dice(sim::Simulation& sim)
      : decisions_(sim.decisions()), site_(sim.decisions().Site("campaign")) {}
  std::uint32_t operator()(std::uint32_t n) { return decisions_.Draw(site_, 0, n); }
  bool OneIn(std::uint32_t n) { return (*this)(n) == 0; }

 private:
  sim::Decisions& decisions_;
  sim::SiteId site_;
};

// The truth: which version of which pod there was at a revision.
class Truth {
 public:
  explicit Truth(sim::Simulation& sim) : history_(sim) {}
  const State& At(std::int64_t revision) {
    for (; taken_in_ < history_.changes.size(); ++taken_in_) {
      const StoreHistory::Change& change = history_.changes[taken_in_];
      State next = states_.rbegin()->second;
      next.erase(change.key);
      if (!change.after.empty()) next[change.key] = change.after.resource_version();
      states_[change.revision] = std::move(next);
    }
    return std::prev(states_.upper_bound(revision))->second;
  }

 private:
  StoreHistory history_;
  std::size_t taken_in_ = 0;
  std::map<std::int64_t, State> states_{{0, State()}};  // from this revision on
};

// A client-go reflector, reduced to its state of the objects.
class Reflector {
 public:
  Reflector(World& world, Truth& truth, Dice& dice, const CampaignOptions& options,
            std::string name)
      : world_(world),
        truth_(truth),
        dice_(dice),
        options_(options),
        name_(std::move(name)),
        server_(static_cast<int>(dice(2))) {}

  const std::string& violation() const { return violation_; }
  bool watching() const { return watch_ != nullptr && watch_->response.code == 200; }
  bool back() const { return synced_ && watching(); }
  std::int64_t rv() const { return rv_; }

  // Handles the received answers and events; starts the next request if none is under way.
  void Step() {
    TakeInList();
    TakeInWatch();
    if (list_ != nullptr || watch_ != nullptr || world_.sim.now() < not_before_) return;
    if (synced_) return OpenWatch(std::to_string(rv_));
    if (options_.compat == Compat::k1_36 && dice_.OneIn(2)) return OpenWatch(rv_ == 0 ? "" : Rv());
    api::ListOptions from;
    if (rv_ == 0 && dice_.OneIn(2)) from.resource_version = "0";
    if (rv_ > 0 && !consistent_) from.resource_version = Rv();
    asked_ = world_.sim.now();
    list_ = Send(api::Verb::kList, std::move(from));
  }

  void Drop() {
    if (watch_ == nullptr) return;
    if (watch_->response.stream != 0)
      world_.server(server_).endpoint().CloseWatch(watch_->response.stream);
    watch_.reset();
  }
  // Takes in a few events more, and then none before Read.
  void Stall() {
    if (watch_ != nullptr) watch_->room = dice_(4);
  }
  void Read() {
    if (watch_ != nullptr) world_.Read(*watch_, dice_.OneIn(2) ? dice_(30) : kAll, server_);
  }
  void ReadAll() {
    if (watch_ != nullptr) world_.Read(*watch_, kAll, server_);
  }
  void Move() {
    Drop();
    list_.reset();
    server_ = 1 - server_;
  }
  void CheckEnd() {
    if (!violation_.empty()) return;
    if (!back()) return Complain("is not back at the end");
    if (state_ != truth_.At(world_.revision())) Complain("has not converged at the end");
  }

 private:
  static constexpr std::int64_t kAll = 1'000'000;
  std::string Rv() const { return std::to_string(rv_); }

  void Complain(const std::string& what) {
    if (violation_.empty())
      violation_ = fmt::format("{} {} (seed {}, {}, kube-apiserver-{}, rv {}, at {})", name_, what,
                               options_.seed, api::ToString(options_.compat), server_, rv_,
                               FormatDuration(world_.sim.now() - VirtualTime()));
  }

  void CheckState(const char* after) {
    if (state_ != truth_.At(rv_))
      Complain(fmt::format("does not know the state of its version {}", after));
  }

  std::shared_ptr<api::Response> Send(api::Verb verb, api::ListOptions options) {
    api::Request request = world_.Request(verb, "pods", "", "");
    request.client = name_;
    request.list = std::move(options);
    return world_.Start(std::move(request), server_);
  }

  void OpenWatch(std::string from) {
    initial_ = !synced_;
    api::ListOptions options = Options(from);
    options.allow_watch_bookmarks = true;
    options.timeout_seconds = 40 + dice_(300);
    if (initial_) {
      options.send_initial_events = true;
      options.resource_version_match = "NotOlderThan";
      building_.clear();
    }
    taken_ = 0;
    patience_ = initial_ && dice_.OneIn(3) ? dice_(4) : ~0U;
    watch_ = world_.StartWatch("pods", "", std::move(options), server_);
    asked_ = world_.sim.now();
  }

  void Retry(Duration pause) {
    watch_.reset();
    list_.reset();
    not_before_ = world_.sim.now() + pause;
  }

  void TakeInList() {
    if (list_ == nullptr) return;
    if (list_->code == 0) {
      if (world_.sim.now() - asked_ > Seconds(10)) Retry(Seconds(1));  // the server has died
      return;
    }
    const std::shared_ptr<api::Response> answer = std::exchange(list_, nullptr);
    if (answer->code != 200) {
      consistent_ =
          api::IsTooLargeResourceVersion(answer->status) || api::IsExpired(answer->status);
      return Retry(Seconds(1));
    }
    consistent_ = false;
    if (answer->list_rv < rv_) Complain(fmt::format("was taken back to {}", answer->list_rv));
    rv_ = answer->list_rv;
    state_.clear();
    for (const api::Object& o : answer->items) state_[o.key()] = o.resource_version();
    synced_ = true;
    CheckState("after a list");
  }

  void TakeInWatch() {
    if (watch_ == nullptr) return;
    if (watch_->response.code == 0) {
      if (world_.sim.now() - asked_ > Seconds(10)) Retry(Seconds(1));
      return;
    }
    if (watch_->response.code != 200) {
      if (!initial_ || watch_->response.code != 429) synced_ = synced_ && !initial_;
      return Retry(Seconds(1));
    }
    while (watch_ != nullptr && taken_ < watch_->seen.size()) {
      if (taken_ == patience_ && initial_) return LoseInTheMiddle();
      TakeIn(watch_->seen[taken_++].event);
    }
    if (watch_ != nullptr && watch_->closed) Retry(Duration());
  }

  // The connection breaks during the initial state, so the reflector drops the part that it has.
  void LoseInTheMiddle() {
    if (options_.resume_from_synthetic && !building_.empty()) {
      state_ = building_;
      rv_ = last_synthetic_;
      synced_ = true;
    }
    Drop();
  }

  void TakeIn(const api::WatchEvent& event) {
    using Type = api::WatchEventType;
    if (event.type == Type::kError) {
      if (api::IsExpired(event.status())) synced_ = false;
      if (api::IsTooLargeResourceVersion(event.status())) consistent_ = true;
      return Retry(Seconds(1));
    }
    const std::int64_t revision = event.object.resource_version();
    if (initial_ && !synced_) return TakeInInitial(event, revision);
    if (event.type == Type::kBookmark) {
      if (revision < rv_) Complain(fmt::format("got a bookmark of the past, {}", revision));
      rv_ = revision;
      return CheckState("after a bookmark");
    }
    if (revision <= rv_)
      Complain(fmt::format("got {} {}@{} a second time or out of order", api::ToString(event.type),
                           event.object.key(), revision));
    if ((event.type == Type::kAdded) == state_.contains(event.object.key()))
      Complain(fmt::format("got {} of {}, which it {}", api::ToString(event.type),
                           event.object.key(),
                           event.type == Type::kAdded ? "knows" : "does not know"));
    rv_ = revision;
    state_[event.object.key()] = revision;
    if (event.type == Type::kDeleted) state_.erase(event.object.key());
    CheckState("after an event");
  }

  void TakeInInitial(const api::WatchEvent& event, std::int64_t revision) {
    if (!event.initial_end) {
      building_[event.object.key()] = last_synthetic_ = revision;
      return;
    }
    if (revision < rv_) Complain(fmt::format("was taken back to {}", revision));
    rv_ = revision;
    state_ = building_;
    synced_ = true;
    CheckState("after its initial events");
  }

  World& world_;
  Truth& truth_;
  Dice& dice_;
  const CampaignOptions& options_;
  std::string name_;
  int server_;
  std::string violation_;

  State state_;
  std::int64_t rv_ = 0;
  bool synced_ = false;      // state_ is that of rv_
  bool consistent_ = false;  // the next list asks the store
  std::shared_ptr<api::Response> list_;
  std::shared_ptr<TestWatch> watch_;
  VirtualTime asked_, not_before_;
  bool initial_ = false;  // the watch began with the state
  std::size_t taken_ = 0;
  std::size_t patience_ = ~0U;  // initial events until the connection breaks
  State building_;
  std::int64_t last_synthetic_ = 0;
};

class Run {
 public:
  explicit Run(const CampaignOptions& options)
      : options_(options),
        world_(WorldOf(options)),
        truth_(world_.sim),
        dice_(world_.sim),
        pods_(world_.Kind("pods")) {
    for (int i = 0; i < 3; ++i)
      reflectors_.push_back(std::make_unique<Reflector>(world_, truth_, dice_, options_,
                                                        fmt::format("reflector-{}", i)));
  }

  std::string Go() {
    for (int i = 0; i < options_.steps && violation().empty(); ++i) {
      Write();
      if (options_.stalls) StallAndBurst();
      if (dice_.OneIn(3)) Fault();
      if (dice_.OneIn(6)) Disturb(*reflectors_[dice_(3)]);
      Advance(dice_.OneIn(8) ? Seconds(dice_(20)) : Milliseconds(dice_(400)));
    }
    Heal();
    for (const auto& r : reflectors_) r->ReadAll();
    // A minute: the longest that a reflector waits for servers that died and lists that time out.
    // Forty seconds are always waited: a watch that has just run out may be on its way again then,
    // and a cache whose watch begins with a change of which the previous value has been compacted
    // tries it again for kMaxInternalErrorRetry before it lists (seed 31840).
    for (int i = 0; i < 120 && violation().empty() && !(i >= 80 && AllAreBack()); ++i)
      Advance(Milliseconds(500));
    for (const auto& r : reflectors_) r->CheckEnd();
    return violation();
  }

 private:
  static WorldOptions WorldOf(const CampaignOptions& options) {
    WorldOptions world(options.compat);
    world.seed = options.seed;
    world.servers = 2;
    world.variants = options.variants;
    return world;
  }

  std::string violation() const {
    for (const auto& r : reflectors_)
      if (!r->violation().empty()) return r->violation();
    return "";
  }

  bool AllAreBack() const {
    return std::all_of(reflectors_.begin(), reflectors_.end(),
                       [](const auto& r) { return r->back(); });
  }

  void Advance(Duration d) {
    const VirtualTime end = world_.sim.now() + d;
    do {
      world_.Advance(std::min(Milliseconds(50), end - world_.sim.now()));
      for (const auto& r : reflectors_) r->Step();
    } while (world_.sim.now() < end && violation().empty());
  }

  void StallAndBurst() {
    Reflector& reflector = *reflectors_[dice_(3)];
    if (dice_.OneIn(2)) {
      reflector.Stall();
    } else {
      reflector.Read();
    }
    const std::uint32_t burst = dice_.OneIn(3) ? dice_(40) : 0;
    for (std::uint32_t i = 0; i < burst; ++i) {
      Write();
      Advance(Milliseconds(dice_(20)));
    }
  }

  void Write() {
    const std::string ns = dice_.OneIn(2) ? "default" : "kube-system";
    const std::string name = fmt::format("p{}", dice_(4));
    const int to = static_cast<int>(dice_(2));
    if (dice_.OneIn(3)) return;
    api::Request r;
    switch (dice_(4)) {
      case 0:
      case 1:
        r = world_.Request(api::Verb::kCreate, "pods", ns, "");
        r.body = Pod(ns, name);
        break;
      case 2:
        r = world_.Request(api::Verb::kDelete, "pods", ns, name);
        r.del.grace_period_seconds = 0;
        break;
      default:
        r = world_.Request(api::Verb::kPatch, "pods", ns, name);
        r.patch_type = api::PatchType::kMerge;
        r.body = Json(fmt::format(R"({{"metadata":{{"labels":{{"tier":"{}"}}}}}})", dice_(9)));
    }
    world_.Start(std::move(r), to);
  }

  void Fault() {
    const int i = static_cast<int>(dice_(2));
    Server& server = world_.server(i);
    switch (dice_(8)) {
      case 0:
        if (server.process().alive()) server.process().Kill();
        break;
      case 1:
        server.faults().watch_cache(pods_).Freeze();
        break;
      case 2:
        server.faults().watch_cache(pods_).SetLag(Milliseconds(dice_(5000)));
        break;
      case 3:
      case 4:
        server.faults().watch_cache(pods_).Reinit();
        break;
      case 5:
        server.faults().watch_cache(pods_).ExpireHistory();
        break;
      case 6:
        Compact();
        break;
      default:
        Heal();
    }
    if (dice_.OneIn(2)) Heal();
  }

  // Compacts as the compactor does, but at any time; another server may have compacted before.
  void Compact() {
    const std::int64_t revision = world_.revision() - dice_(3);
    const auto compacted = world_.store().Compact(store::CompactRequest(revision, {}));
    static_cast<void>(compacted);
  }

  void Heal() {
    for (int i = 0; i < 2; ++i) {
      Server& server = world_.server(i);
      if (!server.process().alive()) server.Start();
      server.faults().watch_cache(pods_).ThawAll();
      server.faults().watch_cache(pods_).SetLag(Duration());
    }
  }

  void Disturb(Reflector& r) {
    if (dice_.OneIn(2)) return r.Drop();
    r.Move();
  }

  CampaignOptions options_;
  World world_;
  Truth truth_;
  Dice dice_;
  const api::ResourceInfo& pods_;
  std::vector<std::unique_ptr<Reflector>> reflectors_;
};

}  // namespace

std::string RunCampaign(const CampaignOptions& options) { return Run(options).Go(); }

}  // namespace ksim::apiserver
