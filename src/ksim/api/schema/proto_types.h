// ProtoTypes: the messages in which built-in kinds travel as protobuf: field numbers, JSON names
// and types, from upstream's generated.proto and types.go (tools/proto-tables makes
// proto_types.txt).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ksim/base/hash.h"
#include "ksim/value/value.h"

namespace ksim::api {

struct ProtoMessage;

struct ProtoField {
  enum class Type : std::uint8_t { kString, kBool, kInt, kDouble, kBytes, kMessage };
  enum class Shape : std::uint8_t { kSingle, kRepeated, kMap };

  value::Atom name;  // in JSON
  std::uint32_t number = 0;
  Type type = Type::kString;
  Shape shape = Shape::kSingle;
  bool keeps_zero = false;  // a zero value that is sent is one that JSON has too
  bool pointer = false;     // left out where it is missing; Go writes all others
  bool embedded = false;    // JSON has the message's fields beside those of its holder
  const ProtoMessage* message = nullptr;
};

struct ProtoMessage {
  // How JSON writes the message.
  enum class Form : std::uint8_t {
    kObject,
    kTime,         // meta/v1 Time: RFC 3339
    kMicroTime,    // meta/v1 MicroTime: the same with six decimals
    kDuration,     // meta/v1 Duration: as Go prints it
    kQuantity,     // api/resource Quantity
    kIntOrString,  // util/intstr IntOrString
    kRaw,          // bytes that are JSON: RawExtension, FieldsV1, JSON
    kList          // a named list: ExtraValue, Verbs
  };

  std::string name;  // core.v1.Container
  Form form = Form::kObject;
  std::vector<ProtoField> fields;  // by number
  // The fields' names in the order of Go's struct, in which Go writes JSON; what is embedded has a
  // message in its place.
  struct GoField {
    GoField() = default;
    value::Atom name;
    const ProtoMessage* embedded = nullptr;
  };
  std::vector<GoField> in_go;
  const ProtoField* Find(std::uint32_t number) const;
};

class ProtoTypes {
 public:
  static const ProtoTypes& Get();
  // The message of an API object or list of that kind; null for a kind that has none.
  const ProtoMessage* FindKind(std::string_view api_version, std::string_view kind) const;
  const ProtoMessage* Find(std::string_view name) const;

 private:
  explicit ProtoTypes(std::string_view table);
  std::vector<ProtoMessage> messages_;
  // Look-ups only. The keys are views of the messages' names.
  absl::flat_hash_map<std::string_view, const ProtoMessage*, TextHash> by_name_;
};

}  // namespace ksim::api
