// Key and KeyValue: the data that the store keeps and hands out.
//
// A KeyValue is a reference to one immutable version of one key. Copying it copies nothing else:
// the store's history, its revision log, every response, every watch event and the trace's payloads
// share one record. A value is a document tree; a raw byte string is a String value.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "ksim/store/object_key.h"
#include "ksim/store/ref.h"
#include "ksim/value/value.h"

namespace ksim::store {

using Revision = std::int64_t;  // 0 where a request means "latest" or "now"
using LeaseId = std::int64_t;   // 0 = none

// A shared immutable key.
class Key {
 public:
  Key() = default;  // the empty key
  // `known_as`: what the simulation calls its resource, where the text does not say; "": it does.
  explicit Key(std::string_view text, std::string_view known_as = {});
  std::string_view text() const;
  std::string_view known_as() const;
  // PartsOfKey(text()) with the resource's name, and the hash of that, worked out once.
  const std::optional<ObjectParts>& parts() const { return about().parts; }
  std::uint64_t object_hash() const { return about().object_hash; }

 private:
  struct About {
    About(std::string_view text, std::string_view known_as);
    std::optional<ObjectParts> parts;
    std::uint64_t object_hash;
  };
  struct Data {
    mutable std::uint32_t refs = 0;
    std::uint32_t size = 0;              // of the text, which follows in memory
    std::uint32_t known_as_size = 0;     // of what follows that
    mutable std::optional<About> about;  // once it was asked for
    static void Free(const Data* d);
  };
  const About& about() const;
  Ref<Data> data_;
};

// The bytes etcd would hold: a String value's text, the JSON text of any other tree. Null counts as
// the empty string.
bool IsEmptyBytes(const value::Value& v);
int CompareBytes(const value::Value& a, const value::Value& b);  // < 0, 0, > 0, bytewise

class KeyValue {
 public:
  KeyValue() = default;  // none

  // A version as a put writes it. `sub` is the change's position in its revision.
  struct Fields {
    Revision create_revision = 0;
    Revision mod_revision = 0;
    std::int64_t version = 0;
    LeaseId lease = 0;
    std::uint32_t sub = 0;
  };
  KeyValue(Key key, value::Value value, const Fields& fields);
  // A tombstone, as a delete writes it, and the kv of a delete event: it has only key and
  // mod_revision.
  static KeyValue Tombstone(Key key, Revision mod_revision, std::uint32_t sub);

  explicit operator bool() const { return static_cast<bool>(record_); }
  // An empty KeyValue has none of these: the caller checks first.
  const Key& shared_key() const { return record_->key; }
  std::string_view key() const { return record_->key.text(); }
  const value::Value& value() const { return record_->value; }
  Revision create_revision() const { return record_->fields.create_revision; }
  Revision mod_revision() const { return record_->fields.mod_revision; }
  std::int64_t version() const { return record_->fields.version; }
  LeaseId lease() const { return record_->fields.lease; }
  std::uint32_t sub() const { return record_->fields.sub; }
  bool is_tombstone() const { return record_->fields.version == 0; }
  // The first version of its generation. STORE-72.
  bool is_create() const { return !is_tombstone() && create_revision() == mod_revision(); }
  bool SameRecord(const KeyValue& o) const { return record_ == o.record_; }
  // The same with an empty value and no lease: what a keys_only range returns.
  KeyValue WithoutValue() const;

 private:
  struct Record {
    Record(Key k, value::Value v, const Fields& f)
        : fields(f), key(std::move(k)), value(std::move(v)) {}
    mutable std::uint32_t refs = 0;
    Fields fields;
    Key key;
    value::Value value;
    static void Free(const Record* r) { delete r; }
  };
  Ref<Record> record_;
};

}  // namespace ksim::store
