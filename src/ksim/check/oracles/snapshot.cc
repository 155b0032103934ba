// list.snapshot: a list is the state at its revision: all pages of one revision, nothing twice,
// nothing left out.
#include <fmt/format.h>

#include <map>

#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

const OracleInfo& SnapshotInfo() {
  static const OracleInfo info{
      "list.snapshot",
      Guarantee::kSafety,
      "A list is the state at its revision: all pages at one revision, nothing twice, nothing left "
      "out.",
      {sim::EventKind::kResponse, sim::EventKind::kRelist},
      {"a list from a cache is of an older revision than the store's",
       "a continue token that has expired: the list is made again, whole"},
      "nothing was listed"};
  return info;
}

class Snapshot : public Oracle {
 public:
  Snapshot() : Oracle(SnapshotInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    if (facts.history().empty()) return;
    if (o.kind == sim::EventKind::kRelist) {
      const Informer& i = *facts.informer();
      return Compare(facts, o, *i.collection, i.name);
    }
    const ReadRequest* request = facts.Read(o.request);
    if (request == nullptr || !request->list || o.code != 200 || o.lost || o.rv == 0) return;
    OnPage(*request, o);
    if (!request->continued && !o.has_more) Compare(facts, o, *request->collection, request->actor);
  }

 private:
  void Compare(const Facts& facts, const Observation& o, const Collection& collection,
               const std::string& who) {
    if (!collection.judgeable() || o.rv == 0) return;
    if (!collection.IsKnownAt(facts.history(), o.rv)) return;
    Judged();
    const std::vector<const CommittedChange*> content = collection.ContentAt(facts.history(), o.rv);
    const bool same_size = content.size() == o.items;
    if (same_size && (content.empty() || HashOfContent(content) == o.items_hash)) return;
    const std::string detail =
        same_size ? fmt::format("of the {} items not all are as they were then", o.items)
                  : fmt::format("{} items, there were {}", o.items, content.size());
    Violate(o.seq, who,
            fmt::format("{}: the list of {} at revision {} is not the state then: {}", who,
                        collection.ToString(), o.rv, detail),
            {});
  }

  // The pages of one list follow one another, asked for by one actor.
  void OnPage(const ReadRequest& request, const Observation& o) {
    const std::string key = fmt::format("{} {}", request.actor, request.collection->ToString());
    const auto open = open_.find(key);
    if (request.continued && open != open_.end() && open->second != o.rv) {
      Violate(o.seq, request.actor,
              fmt::format("{}: a page of the list of {} is at revision {}, its first one at {}",
                          request.actor, request.collection->ToString(), o.rv, open->second),
              {});
    }
    if (!o.has_more)
      open_.erase(key);
    else if (!request.continued)
      open_[key] = o.rv;
  }

  std::map<std::string, std::int64_t> open_;  // lists of which pages are to come -> revision
};

}  // namespace

OracleEntry ListSnapshotOracle() {
  return {&SnapshotInfo(), [] { return std::unique_ptr<Oracle>(new Snapshot); }, ""};
}

}  // namespace ksim::check
