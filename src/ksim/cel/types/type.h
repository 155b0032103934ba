// Type: the types of CEL, as declarations and the checker use them, and their texts in messages.
//
// Upstream: cel-go common/types/types.go, checker/format.go.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ksim::cel {

enum class TypeKind : std::uint8_t {
  kError,
  kDyn,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTimestamp,
  kDuration,
  kList,
  kMap,
  kStruct,  // an object of a schema, or a type of Kubernetes' libraries
  kOpaque,  // optional_type and types that a library keeps to itself
  kTypeParam,
  kType,
};

struct Type;
using TypePtr = std::shared_ptr<const Type>;

struct Type {
  TypeKind kind = TypeKind::kError;
  std::string name;  // "int", "list", "google.protobuf.Timestamp", "kubernetes.URL"
  std::vector<TypePtr> params;
  int variable = -1;  // of a type parameter that the checker made: which

  bool IsOptional() const { return kind == TypeKind::kOpaque && name == "optional_type"; }
  // The text in the checker's messages: map(string, list(int)), timestamp.
  std::string ToString() const;
};

// The types without parameters.
TypePtr ErrorType();
TypePtr DynType();
TypePtr NullType();
TypePtr BoolType();
TypePtr IntType();
TypePtr UintType();
TypePtr DoubleType();
TypePtr StringType();
TypePtr BytesType();
TypePtr TimestampType();
TypePtr DurationType();

TypePtr ListOf(TypePtr element);
TypePtr MapOf(TypePtr key, TypePtr value);
TypePtr StructType(std::string_view name);
TypePtr OpaqueType(std::string_view name, std::vector<TypePtr> params = {});
TypePtr OptionalOf(TypePtr value);
TypePtr TypeOf(TypePtr type);  // type(int)
TypePtr TypeParam(std::string_view name);

// The same type to the last parameter.
bool SameType(const Type& a, const Type& b);

}  // namespace ksim::cel
