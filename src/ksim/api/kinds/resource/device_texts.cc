#include "ksim/api/kinds/resource/device_texts.h"

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <vector>

#include "ksim/value/json.h"

namespace ksim::api {

using value::Value;

namespace {

// A type and its fields in the order of Go: NAME=TYPE, where NAME is that of JSON with a capital,
// or JSON/NAME. `*`: a pointer, `[]`: a list, `^`: an embedded struct, whose fields have tags.
struct InternalType {
  std::string_view name, fields;
};
constexpr InternalType kInternalTypes[] = {
    {"Allocation", "Devices=Allocated NodeSelector=*NodeSelector AllocationTimestamp=*any"},
    {"Allocated", "Results=[]Result Config=[]AllocatedConfig"},
    {"AllocatedConfig", "Source=text Requests=[]text Opaque=*Opaque"},
    {"Attribute",
     "int/IntValue=*any bool/BoolValue=*any string/StringValue=*any version/VersionValue=*any "
     "ints/IntValues=*any bools/BoolValues=*any strings/StringValues=*any "
     "versions/VersionValues=*any"},
    {"CEL", "Expression=text"},
    {"Capacity", "Requests=*any"},
    {"ClaimSpec", "Devices=Devices"},
    {"Config", "Requests=[]text Opaque=*Opaque"},
    {"Constraint", "Requests=[]text MatchAttribute=*any DistinctAttribute=*any"},
    {"Devices", "Requests=[]Request Constraints=[]Constraint Config=[]Config"},
    {"Exact",
     "DeviceClassName=text Selectors=[]Selector AllocationMode=text Count=number AdminAccess=*any "
     "Tolerations=[]Toleration Capacity=*Capacity"},
    {"Expression", "Key=text Operator=text Values=[]text"},
    {"NodeSelector", "NodeSelectorTerms=[]Term"},
    {"Opaque", "Driver=text Parameters=*any"},
    {"Request", "Name=text Exactly=*Exact FirstAvailable=[]Sub"},
    {"Result",
     "Request=text Driver=text Pool=text Device=text AdminAccess=*any Tolerations=[]Toleration "
     "BindingConditions=[]text BindingFailureConditions=[]text ShareID=*any ConsumedCapacity=*any"},
    {"Selector", "CEL=*CEL"},
    {"Shared", "Driver=text Pool=text Device=text ShareID=text"},
    {"Sub",
     "Name=text DeviceClassName=text Selectors=[]Selector AllocationMode=text Count=number "
     "Tolerations=[]Toleration Capacity=*Capacity"},
    {"TemplateSpec", "Metadata=^metadata Spec=ClaimSpec"},
    {"Term", "MatchExpressions=[]Expression MatchFields=[]Expression"},
    {"Toleration", "Key=text Operator=text Value=text Effect=text TolerationSeconds=*any"},
};

std::string JsonName(std::string_view go) {
  if (go == "CEL") return "cel";
  std::string name(go);
  name.front() = static_cast<char>(name.front() - 'A' + 'a');
  return name;
}

std::string TextOf(const Value& v, std::string_view type);

std::string FieldsText(const Value& v, std::string_view fields) {
  std::vector<std::string> members;
  while (!fields.empty()) {
    const std::size_t equals = fields.find('='), blank = fields.find(' ');
    const std::string_view name = fields.substr(0, equals);
    const std::string_view type = fields.substr(equals + 1, blank - equals - 1);
    const std::size_t slash = name.find('/');
    const bool apart = slash != name.npos;
    const std::string_view go = apart ? name.substr(slash + 1) : name;
    const Value& field = v.Get(apart ? std::string(name.substr(0, slash)) : JsonName(go));
    if (!type.starts_with('^')) {
      members.push_back(fmt::format("\"{}\":{}", go, TextOf(field, type)));
    } else {
      for (const auto& [tag, value] : field.members())
        members.push_back(fmt::format("\"{}\":{}", tag.text(), value::ToJson(value)));
    }
    fields = blank == fields.npos ? std::string_view() : fields.substr(blank + 1);
  }
  return fmt::format("{{{}}}", fmt::join(members, ","));
}

std::string TextOf(const Value& v, std::string_view type) {
  if (type.starts_with('*')) return v.is_null() ? "null" : TextOf(v, type.substr(1));
  if (type.starts_with("[]")) {
    if (v.is_null()) return "null";
    std::vector<std::string> items;
    for (const Value& item : v.items()) items.push_back(TextOf(item, type.substr(2)));
    return fmt::format("[{}]", fmt::join(items, ","));
  }
  for (const InternalType& known : kInternalTypes)
    if (known.name == type) return FieldsText(v, known.fields);
  if (v.is_null()) return type == "number" ? "0" : "\"\"";
  return value::ToJson(v);
}

}  // namespace

void CheckDevicePartStays(const Value& updated, const Value& old, std::string_view type,
                          const FieldPath& path, FieldErrorList* errors) {
  if (updated != old) RefuseDevicePart(updated, type, "field is immutable", path, errors);
}

void RefuseDevicePart(const Value& part, std::string_view type, std::string_view detail,
                      const FieldPath& path, FieldErrorList* errors) {
  errors->Add("FieldValueInvalid", fmt::format("Invalid value: {}: {}", TextOf(part, type), detail),
              path.ToString());
}

}  // namespace ksim::api
