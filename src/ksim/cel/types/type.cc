#include "ksim/cel/types/type.h"

#include <utility>

namespace ksim::cel {
namespace {

TypePtr MakeType(TypeKind kind, std::string_view name, std::vector<TypePtr> params = {}) {
  auto type = std::make_shared<Type>();
  type->kind = kind;
  type->name = name;
  type->params = std::move(params);
  return type;
}

}  // namespace

TypePtr ErrorType() {
  static const TypePtr kType = MakeType(TypeKind::kError, "*error*");
  return kType;
}
TypePtr DynType() {
  static const TypePtr kType = MakeType(TypeKind::kDyn, "dyn");
  return kType;
}
TypePtr NullType() {
  static const TypePtr kType = MakeType(TypeKind::kNull, "null_type");
  return kType;
}
TypePtr BoolType() {
  static const TypePtr kType = MakeType(TypeKind::kBool, "bool");
  return kType;
}
TypePtr IntType() {
  static const TypePtr kType = MakeType(TypeKind::kInt, "int");
  return kType;
}
TypePtr UintType() {
  static const TypePtr kType = MakeType(TypeKind::kUint, "uint");
  return kType;
}
TypePtr DoubleType() {
  static const TypePtr kType = MakeType(TypeKind::kDouble, "double");
  return kType;
}
TypePtr StringType() {
  static const TypePtr kType = MakeType(TypeKind::kString, "string");
  return kType;
}
TypePtr BytesType() {
  static const TypePtr kType = MakeType(TypeKind::kBytes, "bytes");
  return kType;
}
TypePtr TimestampType() {
  static const TypePtr kType = MakeType(TypeKind::kTimestamp, "google.protobuf.Timestamp");
  return kType;
}
TypePtr DurationType() {
  static const TypePtr kType = MakeType(TypeKind::kDuration, "google.protobuf.Duration");
  return kType;
}

TypePtr ListOf(TypePtr element) { return MakeType(TypeKind::kList, "list", {std::move(element)}); }
TypePtr MapOf(TypePtr key, TypePtr value) {
  return MakeType(TypeKind::kMap, "map", {std::move(key), std::move(value)});
}
TypePtr StructType(std::string_view name) { return MakeType(TypeKind::kStruct, name); }
TypePtr OpaqueType(std::string_view name, std::vector<TypePtr> params) {
  return MakeType(TypeKind::kOpaque, name, std::move(params));
}
TypePtr OptionalOf(TypePtr value) { return OpaqueType("optional_type", {std::move(value)}); }
TypePtr TypeOf(TypePtr type) {
  if (type == nullptr) return MakeType(TypeKind::kType, "type");
  return MakeType(TypeKind::kType, "type", {std::move(type)});
}
TypePtr TypeParam(std::string_view name) { return MakeType(TypeKind::kTypeParam, name); }

std::string Type::ToString() const {
  switch (kind) {
    case TypeKind::kDuration:
      return "duration";
    case TypeKind::kTimestamp:
      return "timestamp";
    case TypeKind::kNull:
      return "null";
    case TypeKind::kError:
      return "!error!";
    default:
      break;
  }
  if (params.empty()) return name;
  std::string text = name + "(";
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (i > 0) text += ", ";
    text += params[i]->ToString();
  }
  return text + ")";
}

bool SameType(const Type& a, const Type& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.name != b.name || a.params.size() != b.params.size()) return false;
  for (std::size_t i = 0; i < a.params.size(); ++i) {
    if (!SameType(*a.params[i], *b.params[i])) return false;
  }
  return true;
}

}  // namespace ksim::cel
