#include "ksim/store/mvcc.h"

#include <utility>

#include "ksim/base/check.h"

namespace ksim::store {

WriteTxn::WriteTxn(Mvcc& mvcc) : mvcc_(mvcc), first_change_(mvcc.log_.size()) {
  KSIM_CHECK(!mvcc_.writing_) << "two write transactions at once";
  mvcc_.writing_ = true;
}

WriteTxn::~WriteTxn() {
  KSIM_CHECK(!open_ || !changed()) << "a write transaction was left open";
  if (open_) mvcc_.writing_ = false;
}

KeyValue::Fields WriteTxn::NextFields() const {
  KeyValue::Fields fields;
  fields.mod_revision = mvcc_.revision_ + 1;
  fields.sub = changes_;
  return fields;
}

KeyValue WriteTxn::Put(std::string_view key, value::Value value, LeaseId lease) {
  KeyHistory& history = mvcc_.index_.FindOrAdd(key);
  const KeyValue* live = history.Live();
  const KeyValue before = live == nullptr ? KeyValue() : *live;
  KeyValue::Fields fields = NextFields();
  fields.create_revision = before ? before.create_revision() : fields.mod_revision;
  fields.version = before ? before.version() + 1 : 1;
  fields.lease = lease;
  if (before && before.lease() != lease && before.lease() != 0)
    mvcc_.lessor_.Detach(before.lease(), key);
  if (lease != 0) mvcc_.lessor_.Attach(lease, key);
  Record(history, KeyValue(history.key(), std::move(value), fields));
  return before;
}

void WriteTxn::Delete(std::string_view key) {
  KeyHistory& history = *mvcc_.index_.Find(key);
  const LeaseId lease = history.Live()->lease();
  if (lease != 0) mvcc_.lessor_.Detach(lease, key);
  const KeyValue::Fields fields = NextFields();
  Record(history, KeyValue::Tombstone(history.key(), fields.mod_revision, fields.sub));
}

std::vector<KeyValue> WriteTxn::DeleteRange(const KeyRange& range) {
  std::vector<KeyValue> removed;
  mvcc_.index_.VisitRange(range, [&](const KeyHistory& history) {
    if (const KeyValue* live = history.Live()) removed.push_back(*live);
    return true;
  });
  for (const KeyValue& kv : removed) Delete(kv.key());
  return removed;
}

// The key's version at the revision before, not the one that an earlier change of this revision
// wrote.
void WriteTxn::Record(KeyHistory& history, KeyValue version) {
  const KeyValue* prev = version.is_create() ? nullptr : history.At(mvcc_.revision_);
  mvcc_.log_.Add(version, prev == nullptr ? KeyValue() : *prev);
  history.Add(std::move(version));
  ++changes_;
}

void WriteTxn::End() {
  KSIM_CHECK(open_);
  open_ = false;
  mvcc_.writing_ = false;
  if (changed()) ++mvcc_.revision_;
}

}  // namespace ksim::store
