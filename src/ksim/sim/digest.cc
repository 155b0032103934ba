#include "ksim/sim/digest.h"

#include <string_view>

namespace ksim::sim {
namespace {

constexpr int kEventBytes = 8 + 8 + 2 + 8 + 8 + 8 + 8;
constexpr int kEndBytes = 8 + 8;

char* Begin(char* out, const Hash128Value& previous, int bytes) {
  out = PutLittleEndian(out, previous.low);
  out = PutLittleEndian(out, previous.high);
  return PutLittleEndian(out, static_cast<std::uint64_t>(bytes), 4);
}

Hash128Value HashUpTo(const char* record, const char* end) {
  return Hash128(std::string_view(record, static_cast<std::size_t>(end - record)));
}

}  // namespace

Digest::Digest(Bus& bus) {
  bus.Subscribe(Bus::Stage::kDigest, [this](const Event& e) { Add(e); });
}

void Digest::Add(const Event& e) {
  char record[16 + 4 + kEventBytes];
  char* p = Begin(record, hash_, kEventBytes);
  p = PutLittleEndian(p, static_cast<std::uint64_t>(e.time.ns()));
  p = PutLittleEndian(p, e.seq);
  p = PutLittleEndian(p, static_cast<std::uint64_t>(e.kind), 2);
  p = PutLittleEndian(p, e.actor.name_hash());
  p = PutLittleEndian(p, e.object);
  p = PutLittleEndian(p, static_cast<std::uint64_t>(e.revision));
  p = PutLittleEndian(p, e.content());
  hash_ = HashUpTo(record, p);
}

std::string Digest::Final(const Decisions& decisions) const {
  char record[16 + 4 + kEndBytes];
  char* p = Begin(record, hash_, kEndBytes);
  p = PutLittleEndian(p, decisions.asked());
  p = PutLittleEndian(p, decisions.answer_sum());
  return Hex(HashUpTo(record, p));
}

}  // namespace ksim::sim
