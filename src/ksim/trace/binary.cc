#include "ksim/trace/binary.h"

#include <bit>

#include "ksim/base/hash.h"
#include "ksim/trace/schema.h"

namespace ksim::trace {
namespace {

using value::Value;

enum Tag : std::uint8_t {
  kNull,
  kFalse,
  kTrue,
  kInt,
  kDouble,
  kString,
  kArray,
  kObject,
};
constexpr std::size_t kLongestInterned = 200;  // longer text hardly comes twice
constexpr int kMaxDepth = 1000;                // as JSON

}  // namespace

std::string BinaryWriter::Take() {
  sum_.Add(out_);
  return std::exchange(out_, std::string());
}

std::string BinaryWriter::Sealed() {
  char sum[8];
  PutLittleEndian(sum, sum_.Add(out_).Digest());
  out_ += 'C';
  out_.append(sum, sizeof sum);
  return std::exchange(out_, std::string());
}

void BinaryWriter::TextEntry(char tag, std::string_view text) {
  out_ += tag;
  Varint(text.size());
  out_ += text;
}

void BinaryWriter::Varint(std::uint64_t v) {
  while (v >= 0x80) {
    out_ += static_cast<char>(v | 0x80);
    v >>= 7;
  }
  out_ += static_cast<char>(v);
}

void BinaryWriter::Signed(std::int64_t v) {
  Varint((static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63));
}

// 0: a new string that enters the table; 1: one that does not; n + 2: entry n of the table.
void BinaryWriter::String(std::string_view s) {
  if (s.size() > kLongestInterned) {
    Varint(1);
  } else {
    const auto [it, added] = strings_.try_emplace(std::string(s), strings_.size());
    if (!added) return Varint(it->second + 2);
    Varint(0);
  }
  Varint(s.size());
  out_ += s;
}

void BinaryWriter::Write(const Value& v) {
  switch (v.type()) {
    case Value::Type::kNull:
      out_ += static_cast<char>(kNull);
      return;
    case Value::Type::kBool:
      out_ += static_cast<char>(v.AsBool() ? kTrue : kFalse);
      return;
    case Value::Type::kInt:
      out_ += static_cast<char>(kInt);
      return Signed(v.AsInt());
    case Value::Type::kDouble: {
      out_ += static_cast<char>(kDouble);
      const auto bits = std::bit_cast<std::uint64_t>(v.AsDouble());
      for (int i = 0; i < 8; ++i) out_ += static_cast<char>(bits >> (8 * i));
      return;
    }
    case Value::Type::kString:
      out_ += static_cast<char>(kString);
      return String(v.AsString());
    case Value::Type::kArray:
      out_ += static_cast<char>(kArray);
      Varint(v.size());
      for (const Value& item : v.items()) Write(item);
      return;
    case Value::Type::kObject:
      out_ += static_cast<char>(kObject);
      Varint(v.size());
      for (const Value::Member& m : v.members()) {
        String(m.name.text());
        Write(m.value);
      }
      return;
  }
}

void BinaryWriter::Event(const Record& r) {
  out_ += 'R';
  Varint(static_cast<std::uint64_t>(r.kind));
  Varint(r.seq - seq_);
  Signed(r.t - t_);
  Signed(static_cast<std::int64_t>(r.seq - r.cause));
  seq_ = r.seq;
  t_ = r.t;
  String(r.actor);
  Varint(r.fields.size());
  for (const Value::Member& m : r.fields) {
    String(m.name.text());
    Write(m.value);
  }
}

std::uint64_t BinaryReader::Varint() {
  std::uint64_t v = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (in_.empty()) {
      cut_ = true;
      return 0;
    }
    const auto byte = static_cast<std::uint8_t>(in_.front());
    in_.remove_prefix(1);
    v |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return v;
  }
  corrupt_ = true;
  return 0;
}

std::int64_t BinaryReader::Signed() {
  const std::uint64_t v = Varint();
  return static_cast<std::int64_t>(v >> 1) ^ -static_cast<std::int64_t>(v & 1);
}

std::uint64_t BinaryReader::Fixed() {
  if (in_.size() < 8) {
    cut_ = true;
    return 0;
  }
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 8; ++i)
    bits |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(in_[i])) << (8 * i);
  in_.remove_prefix(8);
  return bits;
}

std::string_view BinaryReader::String() {
  const std::uint64_t ref = Varint();
  if (cut_ || corrupt_) return "";
  if (ref >= 2) {
    if (ref - 2 < strings_.size()) return strings_[ref - 2];
    corrupt_ = true;
    return "";
  }
  const std::uint64_t size = Varint();
  if (cut_ || size > in_.size()) {
    cut_ = true;
    return "";
  }
  const std::string_view text = in_.substr(0, size);
  in_.remove_prefix(size);
  if (ref == 0) strings_.emplace_back(text);
  return text;
}

Value BinaryReader::Read(int depth) {
  if (in_.empty()) cut_ = true;
  if (depth > kMaxDepth) corrupt_ = true;
  if (cut_ || corrupt_) return Value();
  const auto tag = static_cast<std::uint8_t>(in_.front());
  in_.remove_prefix(1);
  switch (tag) {
    case kNull:
      return Value();
    case kFalse:
    case kTrue:
      return Value::Bool(tag == kTrue);
    case kInt:
      return Value::Int(Signed());
    case kDouble:
      return Value::Double(std::bit_cast<double>(Fixed()));
    case kString:
      return Value::String(String());
    case kArray: {
      std::vector<Value> items;
      for (std::uint64_t n = Varint(); n > 0 && !cut_ && !corrupt_; --n)
        items.push_back(Read(depth + 1));
      return Value::Array(std::move(items));
    }
    case kObject: {
      std::vector<Value::Member> members;
      for (std::uint64_t n = Varint(); n > 0 && !cut_ && !corrupt_; --n) {
        const value::Atom name(String());
        members.emplace_back(name, Read(depth + 1));
      }
      return Value::Object(std::move(members));
    }
    default:
      corrupt_ = true;
      return Value();
  }
}

void BinaryReader::ReadRecord() {
  Record r;
  const std::uint64_t kind = Varint();
  if (kind < 1 || kind > KindNames().size()) corrupt_ = corrupt_ || !cut_;
  r.kind = static_cast<sim::EventKind>(kind);
  r.seq = seq_ += Varint();
  r.t = t_ = static_cast<std::int64_t>(static_cast<std::uint64_t>(t_) +
                                       static_cast<std::uint64_t>(Signed()));
  r.cause = r.seq - static_cast<std::uint64_t>(Signed());
  r.actor = std::string(String());
  for (std::uint64_t n = Varint(); n > 0 && !cut_ && !corrupt_; --n) {
    const value::Atom name(String());
    r.fields.emplace_back(name, Read(0));
  }
  record_ = std::move(r);
}

void BinaryReader::ReadText() {
  const std::uint64_t size = Varint();
  cut_ = cut_ || size > in_.size();
  if (cut_ || corrupt_) return;
  line_ = std::string(in_.substr(0, size));
  in_.remove_prefix(size);
}

BinaryReader::Item BinaryReader::ReadChecksum() {
  const std::string_view before = whole_.substr(0, whole_.size() - in_.size() - 1);
  const std::uint64_t sum = Fixed();
  if (cut_) return Item::kCut;
  return sum == Hash64(before) ? Item::kChecksum : Item::kAltered;
}

BinaryReader::Item BinaryReader::Next() {
  if (in_.empty()) return Item::kNothing;
  const char tag = in_.front();
  in_.remove_prefix(1);
  if (tag == 'C') return ReadChecksum();
  if (tag == 'R')
    ReadRecord();
  else if (tag == 'H' || tag == 'E')
    ReadText();
  else
    corrupt_ = true;
  if (corrupt_) return Item::kCorrupt;
  if (cut_) return Item::kCut;
  return tag == 'R' ? Item::kEvent : tag == 'H' ? Item::kHeader : Item::kEnd;
}

}  // namespace ksim::trace
