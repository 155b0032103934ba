// Arithmetic of operations.h. Upstream: cel-go common/types/overflow.go.
#include <cmath>

#include "ksim/cel/values/operations.h"

namespace ksim::cel {
namespace {

constexpr std::int64_t kNanos = 1'000'000'000;
constexpr std::int64_t kFirstSecond = -62135596800;  // year 1
constexpr std::int64_t kLastSecond = 253402300799;   // year 9999

Val IntOverflow() { return Val::Error("integer overflow"); }
Val UintOverflow() { return Val::Error("unsigned integer overflow"); }

Val MovedBy(const Val& time, std::int64_t nanos) {
  std::int64_t seconds = 0;
  if (__builtin_add_overflow(time.seconds(), nanos / kNanos, &seconds)) return IntOverflow();
  std::int64_t rest = time.nanos() + nanos % kNanos;
  if (rest >= kNanos) {
    ++seconds;
    rest -= kNanos;
  } else if (rest < 0) {
    --seconds;
    rest += kNanos;
  }
  if (seconds < kFirstSecond || seconds > kLastSecond) return Val::Error("timestamp overflow");
  return Val::Timestamp(seconds, static_cast<std::int32_t>(rest), time.offset());
}

Val Between(const Val& a, const Val& b) {
  std::int64_t nanos = 0;
  if (__builtin_mul_overflow(a.seconds() - b.seconds(), kNanos, &nanos) ||
      __builtin_add_overflow(nanos, std::int64_t{a.nanos()} - b.nanos(), &nanos)) {
    return IntOverflow();
  }
  return Val::Duration(nanos);
}

Val Mismatch(const Val& other) { return other.is_error() ? other : Val::NoSuchOverload(); }

}  // namespace

Val Add(const Val& a, const Val& b) {
  if (a.is_list()) return a.list().Concatenate(b);
  if (a.kind() == ValKind::kTimestamp && b.kind() == ValKind::kDuration) {
    return MovedBy(a, b.AsInt());
  }
  if (a.kind() == ValKind::kDuration && b.kind() == ValKind::kTimestamp) {
    return MovedBy(b, a.AsInt());
  }
  if (a.kind() != b.kind()) return Mismatch(b);
  switch (a.kind()) {
    case ValKind::kInt:
    case ValKind::kDuration: {
      std::int64_t sum = 0;
      if (__builtin_add_overflow(a.AsInt(), b.AsInt(), &sum)) return IntOverflow();
      return a.is_int() ? Val::Int(sum) : Val::Duration(sum);
    }
    case ValKind::kUint: {
      std::uint64_t sum = 0;
      if (__builtin_add_overflow(a.AsUint(), b.AsUint(), &sum)) return UintOverflow();
      return Val::Uint(sum);
    }
    case ValKind::kDouble:
      return Val::Double(a.AsDouble() + b.AsDouble());
    case ValKind::kString:
      return Val::String(std::string(a.AsText()) + std::string(b.AsText()));
    case ValKind::kBytes:
      return Val::Bytes(std::string(a.AsText()) + std::string(b.AsText()));
    default:
      return Val::NoSuchOverload();
  }
}

Val Subtract(const Val& a, const Val& b) {
  if (a.kind() == ValKind::kTimestamp) {
    if (b.kind() == ValKind::kTimestamp) return Between(a, b);
    if (b.kind() != ValKind::kDuration) return Mismatch(b);
    if (b.AsInt() == INT64_MIN) return IntOverflow();
    return MovedBy(a, -b.AsInt());
  }
  if (a.kind() != b.kind()) return Mismatch(b);
  switch (a.kind()) {
    case ValKind::kInt:
    case ValKind::kDuration: {
      std::int64_t difference = 0;
      if (__builtin_sub_overflow(a.AsInt(), b.AsInt(), &difference)) return IntOverflow();
      return a.is_int() ? Val::Int(difference) : Val::Duration(difference);
    }
    case ValKind::kUint:
      return b.AsUint() > a.AsUint() ? UintOverflow() : Val::Uint(a.AsUint() - b.AsUint());
    case ValKind::kDouble:
      return Val::Double(a.AsDouble() - b.AsDouble());
    default:
      return Val::NoSuchOverload();
  }
}

Val Multiply(const Val& a, const Val& b) {
  if (a.kind() != b.kind()) return Mismatch(b);
  if (a.is_int()) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a.AsInt(), b.AsInt(), &product)) return IntOverflow();
    return Val::Int(product);
  }
  if (a.is_uint()) {
    std::uint64_t product = 0;
    if (__builtin_mul_overflow(a.AsUint(), b.AsUint(), &product)) return UintOverflow();
    return Val::Uint(product);
  }
  if (a.is_double()) return Val::Double(a.AsDouble() * b.AsDouble());
  return Val::NoSuchOverload();
}

Val Divide(const Val& a, const Val& b) {
  if (a.kind() != b.kind()) return Mismatch(b);
  if (a.is_double()) return Val::Double(a.AsDouble() / b.AsDouble());
  if (a.is_uint()) {
    if (b.AsUint() == 0) return Val::Error("division by zero");
    return Val::Uint(a.AsUint() / b.AsUint());
  }
  if (!a.is_int()) return Val::NoSuchOverload();
  if (b.AsInt() == 0) return Val::Error("division by zero");
  if (a.AsInt() == INT64_MIN && b.AsInt() == -1) return IntOverflow();
  return Val::Int(a.AsInt() / b.AsInt());
}

Val Modulo(const Val& a, const Val& b) {
  if (a.kind() != b.kind()) return Mismatch(b);
  if (a.is_uint()) {
    if (b.AsUint() == 0) return Val::Error("modulus by zero");
    return Val::Uint(a.AsUint() % b.AsUint());
  }
  if (!a.is_int()) return Val::NoSuchOverload();
  if (b.AsInt() == 0) return Val::Error("modulus by zero");
  if (a.AsInt() == INT64_MIN && b.AsInt() == -1) return IntOverflow();
  return Val::Int(a.AsInt() % b.AsInt());
}

Val Negate(const Val& a) {
  switch (a.kind()) {
    case ValKind::kBool:
      return Val::Bool(a.is_false());
    case ValKind::kDouble:
      return Val::Double(-a.AsDouble());
    case ValKind::kInt:
    case ValKind::kDuration:
      if (a.AsInt() == INT64_MIN) return IntOverflow();
      return a.is_int() ? Val::Int(-a.AsInt()) : Val::Duration(-a.AsInt());
    default:
      return Val::NoSuchOverload();
  }
}

}  // namespace ksim::cel
