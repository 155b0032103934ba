#include "ksim/store/key_value.h"

#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "ksim/value/json.h"

namespace ksim::store {

Key::Key(std::string_view text, std::string_view known_as) {
  if (text.empty()) return;
  void* memory = ::operator new(sizeof(Data) + text.size() + known_as.size());
  Data* data = new (memory) Data;
  data->size = static_cast<std::uint32_t>(text.size());
  data->known_as_size = static_cast<std::uint32_t>(known_as.size());
  char* const bytes = reinterpret_cast<char*>(data + 1);
  std::memcpy(bytes, text.data(), text.size());
  if (!known_as.empty()) std::memcpy(bytes + text.size(), known_as.data(), known_as.size());
  data_ = Ref<Data>(data);
}

void Key::Data::Free(const Data* d) {
  d->~Data();
  ::operator delete(const_cast<Data*>(d));
}

std::string_view Key::text() const {
  if (!data_) return {};
  return {reinterpret_cast<const char*>(data_.get() + 1), data_->size};
}

std::string_view Key::known_as() const {
  if (!data_) return {};
  return {reinterpret_cast<const char*>(data_.get() + 1) + data_->size, data_->known_as_size};
}

Key::About::About(std::string_view text, std::string_view known_as) : parts(PartsOfKey(text)) {
  if (parts && !known_as.empty()) parts->resource = known_as;
  object_hash = parts ? ObjectHashOf(*parts) : ObjectHashOfKey(text);
}

const Key::About& Key::about() const {
  if (!data_) {
    static const About kNothing{std::string_view(), std::string_view()};
    return kNothing;
  }
  if (!data_->about) data_->about.emplace(text(), known_as());
  return *data_->about;
}

bool IsEmptyBytes(const value::Value& v) {
  return v.is_null() || (v.is_string() && v.AsString().empty());
}

namespace {

// `buffer` holds the text where the value has none of its own.
std::string_view BytesOf(const value::Value& v, std::string* buffer) {
  if (v.is_null() || v.is_string()) return v.AsString();
  value::AppendJson(v, buffer);
  return *buffer;
}

}  // namespace

int CompareBytes(const value::Value& a, const value::Value& b) {
  if (a.SameTree(b)) return 0;
  std::string a_text, b_text;
  return BytesOf(a, &a_text).compare(BytesOf(b, &b_text));
}

KeyValue::KeyValue(Key key, value::Value value, const Fields& fields)
    : record_(new Record(std::move(key), std::move(value), fields)) {}

KeyValue KeyValue::Tombstone(Key key, Revision mod_revision, std::uint32_t sub) {
  Fields fields;
  fields.mod_revision = mod_revision;
  fields.sub = sub;
  return KeyValue(std::move(key), value::Value::String(""), fields);
}

KeyValue KeyValue::WithoutValue() const {
  Fields fields = record_->fields;
  fields.lease = 0;
  return KeyValue(record_->key, value::Value::String(""), fields);
}

}  // namespace ksim::store
