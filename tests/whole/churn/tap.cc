#include "tests/whole/churn/tap.h"

namespace ksim::churn {

using check::Observation;
using Kind = sim::EventKind;

void Tap::WithoutBookmarks(Observation& o) {
  if (o.kind == Kind::kRelist) data_version_[std::string(o.actor)] = std::to_string(o.rv);
  const bool data = o.kind == Kind::kDeliver && o.level == check::Level::kApi &&
                    o.type != api::WatchEventType::kBookmark &&
                    o.type != api::WatchEventType::kError;
  if (data) data_version_[std::string(o.actor)] = std::to_string(o.rv);
  if (o.kind != Kind::kRequest || o.verb != "watch" || o.send_initial) return;
  const auto at = data_version_.find(std::string(o.actor));
  if (at != data_version_.end()) o.rv_text = at->second;
}

// Repeats a list as often as it fits into the back-off for which a correct reflector waits.
void Tap::RepeatList(const Observation& o) {
  Observation again = o;
  for (int i = 1; i <= 40; ++i) {
    again.t = o.t + Milliseconds(20 * i).ns();
    take_(again);
  }
}

void Tap::Pass(Observation& o) {
  const bool update = o.kind == Kind::kHandler && o.call == check::HandlerCall::kUpdate;
  if (mutant_ == Mutant::kBookmarkIgnored) WithoutBookmarks(o);
  if (mutant_ == Mutant::kUidChangeUnnoticed && update) o.uid = o.old_uid;
  take_(o);
  const bool resync = update && o.rv == o.old_rv && o.listener.ends_with(resynced_);
  if (mutant_ == Mutant::kResyncTakenForUpdate && resync) {
    Observation also = o;
    listener_ = std::string(o.listener.substr(0, o.listener.size() - resynced_.size()));
    listener_ += not_resynced_;
    also.listener = listener_;
    take_(also);
  }
  const bool lists = o.kind == Kind::kRequest && o.verb == "list" && o.resource == "pods";
  if (mutant_ == Mutant::kRelistWithoutBackoff && lists) RepeatList(o);
}

}  // namespace ksim::churn
