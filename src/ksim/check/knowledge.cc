#include "ksim/check/knowledge.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ksim/check/facts.h"
#include "ksim/check/trace_observer.h"
#include "ksim/trace/actors.h"
#include "ksim/value/diff.h"

namespace ksim::check {
namespace {

// Readings: what a program read without ksim's informers: by resource the list that it got last,
// and what its watches have brought since.
class Readings {
 public:
  explicit Readings(std::string_view process) : process_(process) {}

  // Before the facts have it: an answer ends a request.
  void On(const Facts& facts, const Observation& o) {
    if (o.kind == sim::EventKind::kResponse) {
      TakeList(facts, o);
    } else if (o.kind == sim::EventKind::kWatch && o.level == Level::kApi) {
      TakeWatch(facts, o);
    } else if (o.kind == sim::EventKind::kDeliver && trace::ProcessOf(o.actor) == process_) {
      TakeDelivery(o);
    }
  }

  struct Reading {
    std::shared_ptr<const Collection> collection;
    std::int64_t revision = 0;  // of the list; 0: a watch brought it all
    absl::flat_hash_map<std::uint64_t, std::int64_t> delivered;  // looked up only
  };
  const std::map<std::string, Reading, std::less<>>& by_resource() const { return by_resource_; }

 private:
  void TakeList(const Facts& facts, const Observation& o) {
    const ReadRequest* read = facts.Read(o.request);
    if (read == nullptr || !read->list || o.code != 200 || o.lost) return;
    if (trace::ProcessOf(read->actor) != process_ || read->collection == nullptr) return;
    Reading& reading = by_resource_[read->collection->resource()];
    reading.collection = read->collection;
    reading.revision = o.rv;
    reading.delivered.clear();
  }

  void TakeWatch(const Facts& facts, const Observation& o) {
    watch_lists_.erase(o.stream);
    if (!o.open || trace::ProcessOf(o.client) != process_) return;
    const ReadRequest* read = facts.Read(o.request);
    if (read == nullptr || !read->send_initial || read->collection == nullptr) return;
    watch_lists_[o.stream].collection = read->collection;
  }

  void TakeDelivery(const Observation& o) {
    if (const auto list = watch_lists_.find(o.stream); list != watch_lists_.end()) {
      if (o.object != 0) list->second.delivered[o.object] = o.rv;
      if (!o.initial_end) return;
      const std::string resource(list->second.collection->resource());
      by_resource_[resource] = std::move(list->second);
      watch_lists_.erase(list);
      return;
    }
    const auto it = by_resource_.find(o.resource);
    if (it != by_resource_.end() && o.object != 0) it->second.delivered[o.object] = o.rv;
  }

  std::string_view process_;
  std::map<std::string, Reading, std::less<>> by_resource_;
  // Watches that begin with the state, by stream: a client takes it for what there is when the
  // bookmark has come that ends it (client-go tools/cache/reflector.go watchList).
  absl::flat_hash_map<std::uint64_t, Reading> watch_lists_;  // looked up only
};

class Comparison {
 public:
  explicit Comparison(const Facts& facts) : facts_(facts) {}

  // `known`: the revision of an object that the process had been told of; 0: that it is not there.
  template <class Known>
  void Compare(const Collection& collection, const Known& known) {
    out_.reads = true;
    const Changes& all = collection.ChangesIn(facts_.history()).list;
    std::map<std::string, const CommittedChange*> newest;  // by name, in order
    for (const CommittedChange* change : all) newest[change->Name()] = change;
    for (const auto& [name, change] : newest) {
      const std::int64_t revision = known(change->object);
      const bool gone = change->op == CommitOp::kDelete;
      if (revision >= change->revision || (gone && revision == 0)) continue;
      if (revision == 0 && !collection.Has(*change, change->after)) continue;
      Add(name, *change, revision);
    }
  }

  Knowledge Take() {
    out_.revision = facts_.history().revision();
    std::stable_sort(out_.unknown.begin(), out_.unknown.end(),
                     [](const Unknown& a, const Unknown& b) { return a.revision < b.revision; });
    return std::move(out_);
  }

 private:
  void Add(const std::string& name, const CommittedChange& change, std::int64_t known) {
    const auto same = [&](const Unknown& u) { return u.object == name; };
    if (std::any_of(out_.unknown.begin(), out_.unknown.end(), same)) return;
    Unknown& u = out_.unknown.emplace_back();
    u.resource = change.resource;
    u.object = name;
    u.known = known;
    u.revision = change.revision;
    u.gone = change.op == CommitOp::kDelete;
    u.by = change.by;
    u.t = change.t;
    const CommittedChange* then = facts_.history().At(change.object, known);
    if (u.gone || known == 0 || then == nullptr) return;
    for (const value::Change& c : value::Diff(then->state(), change.state())) {
      const std::string path = c.path.ToString();
      if (!path.starts_with("metadata.resourceVersion") &&
          !path.starts_with("metadata.managedFields"))
        u.since.push_back(path);
    }
  }

  const Facts& facts_;
  Knowledge out_;
};

}  // namespace

absl::StatusOr<Knowledge> KnowledgeOf(const trace::Trace& trace, std::string_view process,
                                      std::size_t event) {
  Facts facts;
  TraceObserver observer;
  Readings readings(process);
  Observation o;
  for (std::size_t i = 0; i < event && i < trace.events.size(); ++i) {
    if (!observer.Observe(trace.events[i], &o)) continue;
    readings.On(facts, o);
    facts.Take(o);
  }
  if (!observer.status().ok()) return observer.status();
  Comparison comparison(facts);
  bool informed = false;
  for (const Informer* informer : facts.informers()) {
    if (informer->process != process || informer->collection == nullptr) continue;
    informed = true;
    // Listeners of one process share its caches: what one of them was told of, the cache has.
    comparison.Compare(*informer->collection, [&](std::uint64_t object) {
      std::int64_t revision = 0;
      for (const auto& listener : informer->listeners) {
        const auto told = listener->view.find(object);
        if (told != listener->view.end()) revision = std::max(revision, told->second.rv);
      }
      return revision;
    });
  }
  if (informed) return comparison.Take();
  for (const auto& [resource, reading] : readings.by_resource()) {
    comparison.Compare(*reading.collection, [&](std::uint64_t object) {
      const auto delivered = reading.delivered.find(object);
      if (delivered != reading.delivered.end()) return delivered->second;
      const CommittedChange* listed = facts.history().At(object, reading.revision);
      return listed == nullptr || listed->op == CommitOp::kDelete ? std::int64_t{0}
                                                                  : listed->revision;
    });
  }
  return comparison.Take();
}

}  // namespace ksim::check
