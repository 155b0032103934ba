#include "ksim/cel/values/val.h"

#include <bit>

#include "ksim/base/check.h"
#include "ksim/cel/values/containers.h"
#include "ksim/cel/values/go_text.h"
#include "ksim/cel/values/operations.h"

namespace ksim::cel {
namespace {

struct OptionalNode : ValNode {
  explicit OptionalNode(Val v) : value(std::move(v)) {}
  Val value;
};

TypePtr BareType(TypeKind kind, std::string_view name) {
  auto type = std::make_shared<Type>();
  type->kind = kind;
  type->name = name;
  return type;
}

TypePtr BareList() {
  static const TypePtr kType = BareType(TypeKind::kList, "list");
  return kType;
}
TypePtr BareMap() {
  static const TypePtr kType = BareType(TypeKind::kMap, "map");
  return kType;
}
TypePtr BareOptional() {
  static const TypePtr kType = BareType(TypeKind::kOpaque, "optional_type");
  return kType;
}
TypePtr BareTypeType() {
  static const TypePtr kType = BareType(TypeKind::kType, "type");
  return kType;
}

}  // namespace

Val Val::Scalar(ValKind kind, std::uint64_t bits) {
  Val v;
  v.kind_ = kind;
  v.bits_ = bits;
  return v;
}

Val Val::Text(ValKind kind, value::Value text) {
  Val v;
  v.kind_ = kind;
  v.tree_ = std::move(text);
  return v;
}

Val Val::Double(double d) { return Scalar(ValKind::kDouble, std::bit_cast<std::uint64_t>(d)); }
double Val::AsDouble() const { return std::bit_cast<double>(bits_); }

Val Val::Timestamp(std::int64_t seconds, std::int32_t nanos, std::int32_t offset) {
  Val v = Scalar(ValKind::kTimestamp, static_cast<std::uint64_t>(seconds));
  v.nanos_ = nanos;
  v.offset_ = offset;
  return v;
}

Val Val::List(std::vector<Val> items) {
  return List(std::make_shared<const VectorList>(std::move(items)));
}

Val Val::List(std::shared_ptr<const ListNode> list) {
  Val v;
  v.kind_ = ValKind::kList;
  v.node_ = std::move(list);
  return v;
}

Val Val::Map(std::vector<std::pair<Val, Val>> entries) {
  return Map(std::make_shared<const EntryMap>(std::move(entries)));
}

Val Val::Map(std::shared_ptr<const MapNode> map) {
  Val v;
  v.kind_ = ValKind::kMap;
  v.node_ = std::move(map);
  return v;
}

Val Val::OfType(TypePtr type) {
  Val v;
  v.kind_ = ValKind::kType;
  v.type_ = std::move(type);
  return v;
}

Val Val::Optional(Val value) {
  Val v;
  v.kind_ = ValKind::kOptional;
  v.node_ = std::make_shared<const OptionalNode>(std::move(value));
  return v;
}

Val Val::None() {
  Val v;
  v.kind_ = ValKind::kOptional;
  return v;
}

Val Val::Opaque(std::shared_ptr<const OpaqueNode> opaque) {
  Val v;
  v.kind_ = ValKind::kOpaque;
  v.node_ = std::move(opaque);
  return v;
}

Val Val::Error(std::string_view message) {
  return Text(ValKind::kError, value::Value::String(message));
}

const ListNode& Val::list() const {
  KSIM_CHECK(kind_ == ValKind::kList);
  return static_cast<const ListNode&>(*node_);
}
const MapNode& Val::map() const {
  KSIM_CHECK(kind_ == ValKind::kMap);
  return static_cast<const MapNode&>(*node_);
}
const OpaqueNode& Val::opaque() const {
  KSIM_CHECK(kind_ == ValKind::kOpaque);
  return static_cast<const OpaqueNode&>(*node_);
}

const Val* Val::optional_value() const {
  if (kind_ != ValKind::kOptional || node_ == nullptr) return nullptr;
  return &static_cast<const OptionalNode&>(*node_).value;
}

TypePtr Val::type() const {
  switch (kind_) {
    case ValKind::kError:
      return ErrorType();
    case ValKind::kNull:
      return NullType();
    case ValKind::kBool:
      return BoolType();
    case ValKind::kInt:
      return IntType();
    case ValKind::kUint:
      return UintType();
    case ValKind::kDouble:
      return DoubleType();
    case ValKind::kString:
      return StringType();
    case ValKind::kBytes:
      return BytesType();
    case ValKind::kTimestamp:
      return TimestampType();
    case ValKind::kDuration:
      return DurationType();
    case ValKind::kList:
      return BareList();
    case ValKind::kMap:
      return BareMap();
    case ValKind::kType:
      return BareTypeType();
    case ValKind::kOptional:
      return BareOptional();
    case ValKind::kOpaque:
      return opaque().type();
  }
  return ErrorType();
}

bool Val::HasSize() const {
  return kind_ == ValKind::kString || kind_ == ValKind::kBytes || kind_ == ValKind::kList ||
         kind_ == ValKind::kMap;
}

std::uint64_t Val::Size() const {
  switch (kind_) {
    case ValKind::kString:
      return CountRunes(AsText());
    case ValKind::kBytes:
      return AsText().size();
    case ValKind::kList:
      return list().size();
    case ValKind::kMap:
      return map().size();
    default:
      return 1;
  }
}

std::vector<Val>* Val::UniqueItems() {
  if (kind_ != ValKind::kList || node_.use_count() != 1) return nullptr;
  const auto* list = dynamic_cast<const VectorList*>(node_.get());
  // The node was made for this Val, and nobody else sees it.
  return list == nullptr ? nullptr : &const_cast<VectorList*>(list)->items;
}

EntryMap* Val::UniqueEntries() {
  if (kind_ != ValKind::kMap || node_.use_count() != 1) return nullptr;
  return const_cast<EntryMap*>(dynamic_cast<const EntryMap*>(node_.get()));
}

bool Val::IsZeroValue() const {
  switch (kind_) {
    case ValKind::kNull:
      return true;
    case ValKind::kBool:
    case ValKind::kInt:
    case ValKind::kUint:
    case ValKind::kDuration:
      return bits_ == 0;
    case ValKind::kDouble:
      return AsDouble() == 0;
    case ValKind::kString:
    case ValKind::kBytes:
      return AsText().empty();
    case ValKind::kList:
      return list().size() == 0;
    case ValKind::kMap:
      return map().size() == 0;
    case ValKind::kTimestamp:  // Go's zero time, 1 January of year 1
      return seconds() == -62135596800 && nanos_ == 0;
    case ValKind::kOptional:
      return optional_value() == nullptr || optional_value()->IsZeroValue();
    default:
      return false;
  }
}

std::string Val::ToText() const {
  switch (kind_) {
    case ValKind::kString:
      return std::string(AsText());
    case ValKind::kBytes: {
      std::string text = "[";
      for (const char c : AsText()) {
        if (text.size() > 1) text += ' ';
        text += std::to_string(static_cast<unsigned char>(c));
      }
      return text + "]";
    }
    case ValKind::kInt:
      return std::to_string(AsInt());
    case ValKind::kUint:
      return std::to_string(AsUint());
    case ValKind::kDouble:
      return DoubleG(AsDouble());
    case ValKind::kBool:
      return is_true() ? "true" : "false";
    case ValKind::kNull:
      return "0";  // structpb.NullValue prints its number
    case ValKind::kType:
      return type_->name;
    case ValKind::kError:
      return std::string(message());
    default:
      return FormatLiteral(*this);
  }
}

}  // namespace ksim::cel
