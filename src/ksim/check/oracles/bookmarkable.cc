// watch.bookmarkable: a bookmark (etcd: a progress notification) at a revision promises that every
// event up to it has been delivered.
// Source: etcd tests/robustness/validate/watch.go validateBookmarkable.
#include <fmt/format.h>

#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

const OracleInfo& BookmarkableInfo() {
  static const OracleInfo info{
      "watch.bookmarkable",
      Guarantee::kSafety,
      "A bookmark follows all events up to its revision, and bookmarks do not go back.",
      {sim::EventKind::kDeliver},
      {"two bookmarks at one revision", "a watch never delivers a bookmark"},
      "no bookmark was delivered"};
  return info;
}

class Bookmarkable : public Oracle {
 public:
  Bookmarkable() : Oracle(BookmarkableInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    const Delivery& d = facts.delivery();
    const SequenceStep& step = d.step;
    if (!step.judged) return;
    if (o.type == api::WatchEventType::kBookmark) Judged();
    if (Has(d.stream->reported, Bit::kBookmarkable)) return;
    if (step.bookmark_back) {
      Set(&d.stream->reported, Bit::kBookmarkable);
      Violate(o.seq, d.stream->client.str(),
              fmt::format("{}: {} comes after revision {}", d.stream->Name(), Event(o),
                          d.stream->sequence.last()),
              {});
    }
    // Told twice, or late: that is another guarantee.
    if (!step.after_bookmark || step.again || step.back) return;
    Set(&d.stream->reported, Bit::kBookmarkable);
    Violate(step.bookmark, d.stream->client.str(),
            fmt::format("{}: {} comes after a bookmark that covers it", d.stream->Name(), Event(o)),
            {ObjectOf(o)});
  }
};

}  // namespace

OracleEntry WatchBookmarkableOracle() {
  return {&BookmarkableInfo(), [] { return std::unique_ptr<Oracle>(new Bookmarkable); }, ""};
}

}  // namespace ksim::check
