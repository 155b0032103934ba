// Equality and order of operations.h.
#include <cmath>
#include <compare>

#include "ksim/cel/values/operations.h"

namespace ksim::cel {
namespace {

bool IsNumber(const Val& v) { return v.is_int() || v.is_uint() || v.is_double(); }

int Order(auto a, auto b) { return a < b ? -1 : a > b ? 1 : 0; }

int OrderIntUint(std::int64_t i, std::uint64_t u) {
  return i < 0 ? -1 : Order(static_cast<std::uint64_t>(i), u);
}

// cel-go's compareDoubleInt and compareDoubleUint: beyond the integers' ends a double is less or
// greater, between them the integer becomes a double.
int OrderDoubleInt(double d, std::int64_t i) {
  if (d < -9223372036854775808.0) return -1;
  if (d > 9223372036854775807.0) return 1;
  return Order(d, static_cast<double>(i));
}

int OrderDoubleUint(double d, std::uint64_t u) {
  if (d < 0) return -1;
  if (d > 18446744073709551615.0) return 1;
  return Order(d, static_cast<double>(u));
}

// Neither is NaN.
int OrderNumbers(const Val& a, const Val& b) {
  if (a.is_int()) {
    if (b.is_int()) return Order(a.AsInt(), b.AsInt());
    if (b.is_uint()) return OrderIntUint(a.AsInt(), b.AsUint());
    return -OrderDoubleInt(b.AsDouble(), a.AsInt());
  }
  if (a.is_uint()) {
    if (b.is_int()) return -OrderIntUint(b.AsInt(), a.AsUint());
    if (b.is_uint()) return Order(a.AsUint(), b.AsUint());
    return -OrderDoubleUint(b.AsDouble(), a.AsUint());
  }
  if (b.is_int()) return OrderDoubleInt(a.AsDouble(), b.AsInt());
  if (b.is_uint()) return OrderDoubleUint(a.AsDouble(), b.AsUint());
  return Order(a.AsDouble(), b.AsDouble());
}

bool IsNaN(const Val& v) { return v.is_double() && std::isnan(v.AsDouble()); }

Val OrderText(const Val& a, const Val& b) {
  const int order = a.AsText().compare(b.AsText());
  return Val::Int(Order(order, 0));
}

}  // namespace

Val Equal(const Val& a, const Val& b) {
  if (a.is_null() || b.is_null()) return Val::Bool(a.is_null() && b.is_null());
  if (IsNumber(a)) {
    return Val::Bool(IsNumber(b) && !IsNaN(a) && !IsNaN(b) && OrderNumbers(a, b) == 0);
  }
  if (a.is_list()) return a.list().EqualTo(b);
  if (a.is_map()) return a.map().EqualTo(b);
  if (a.kind() == ValKind::kOpaque) return a.opaque().EqualTo(b);
  if (a.kind() != b.kind()) return Val::Bool(false);
  switch (a.kind()) {
    case ValKind::kBool:
      return Val::Bool(a.is_true() == b.is_true());
    case ValKind::kString:
    case ValKind::kBytes:
      return Val::Bool(a.AsText() == b.AsText());
    case ValKind::kTimestamp:
      return Val::Bool(a.seconds() == b.seconds() && a.nanos() == b.nanos());
    case ValKind::kDuration:
      return Val::Bool(a.AsInt() == b.AsInt());
    case ValKind::kType:
      return Val::Bool(a.type_value()->name == b.type_value()->name);
    case ValKind::kOptional: {
      const Val* mine = a.optional_value();
      const Val* theirs = b.optional_value();
      if (mine == nullptr || theirs == nullptr) return Val::Bool(mine == theirs);
      return Equal(*mine, *theirs);
    }
    default:
      return a;  // an error
  }
}

Val Compare(const Val& a, const Val& b) {
  if (IsNumber(a)) {
    if (IsNaN(a)) return Val::Error("NaN values cannot be ordered");
    if (!IsNumber(b)) return b.is_error() ? b : Val::NoSuchOverload();
    if (IsNaN(b)) return Val::Error("NaN values cannot be ordered");
    return Val::Int(OrderNumbers(a, b));
  }
  if (b.is_error()) return b;
  if (a.kind() != b.kind()) return Val::NoSuchOverload();
  switch (a.kind()) {
    case ValKind::kBool:
      return Val::Int(Order(a.is_true(), b.is_true()));
    case ValKind::kString:
    case ValKind::kBytes:
      return OrderText(a, b);
    case ValKind::kTimestamp:
      if (a.seconds() != b.seconds()) return Val::Int(Order(a.seconds(), b.seconds()));
      return Val::Int(Order(a.nanos(), b.nanos()));
    case ValKind::kDuration:
      return Val::Int(Order(a.AsInt(), b.AsInt()));
    default:
      return Val::NoSuchOverload();
  }
}

std::optional<Val> FindIn(const Val& container, const Val& key) {
  if (container.is_map()) return container.map().Find(key);
  if (!container.is_list()) return std::nullopt;
  std::int64_t index = -1;
  if (key.is_int()) {
    index = key.AsInt();
  } else if (key.is_double()) {
    const double d = key.AsDouble();
    if (std::trunc(d) != d || std::abs(d) > 9e18) {
      return Val::Error("unsupported index value " + key.ToText() + " in list");
    }
    index = static_cast<std::int64_t>(d);
  } else if (key.is_uint()) {
    if (key.AsUint() > static_cast<std::uint64_t>(INT64_MAX)) {
      return Val::Error("unsupported index value " + key.ToText() + " in list");
    }
    index = static_cast<std::int64_t>(key.AsUint());
  } else {
    return Val::Error("unsupported index type '" + std::string(key.type_name()) + "' in list");
  }
  if (index < 0 || static_cast<std::uint64_t>(index) >= container.list().size()) {
    return std::nullopt;
  }
  return container.list().at(static_cast<std::size_t>(index));
}

}  // namespace ksim::cel
