// Implements the JSON patches of patch.h. Upstream: evanphx/json-patch v4 patch.go, which the API
// server uses, with its texts. Where it is laxer than RFC 6902 (replace adds a missing field, copy
// of a missing field gives null, negative indexes count from the end) ksim is too, and where it is
// stricter (no add to the whole document) as well.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/value/json.h"
#include "ksim/value/patch.h"
#include "ksim/value/text.h"

namespace ksim::value {
namespace {

constexpr std::size_t kMaxOperations = 10000;
constexpr char kMissing[] = "missing value";

absl::Status Failed(const std::string& message) {
  return absl::FailedPreconditionError(AbslView(message));
}

std::string UnescapeToken(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool escape = token[i] == '~' && i + 1 < token.size();
    if (escape && (token[i + 1] == '0' || token[i + 1] == '1')) {
      out += token[++i] == '0' ? '~' : '/';
    } else {
      out += token[i];
    }
  }
  return out;
}

// The array or object that a pointer's last token is a key of.
struct PointerPlace {
  Path path;
  Value container;
  std::string key;
};

std::optional<std::size_t> ExistingIndex(const Value& array, std::string_view key) {
  const auto index = ParseGoInt(key);
  const auto size = static_cast<std::int64_t>(array.size());
  if (!index || *index >= size || *index < -size) return std::nullopt;
  return static_cast<std::size_t>(*index < 0 ? *index + size : *index);
}

// Upstream: findObject.
std::optional<PointerPlace> FindPlace(const Value& doc, std::string_view pointer) {
  std::size_t slash = pointer.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  PointerPlace place;
  place.container = doc;
  pointer.remove_prefix(slash + 1);
  while ((slash = pointer.find('/')) != std::string_view::npos) {
    const std::string token = UnescapeToken(pointer.substr(0, slash));
    pointer.remove_prefix(slash + 1);
    PathStep step(token);
    if (place.container.is_array()) {
      const auto index = ExistingIndex(place.container, token);
      if (!index) return std::nullopt;
      step = PathStep::Index(static_cast<std::uint32_t>(*index));
    }
    place.path = place.path.Child(step);
    place.container = Value(doc.Get(place.path));
    if (!place.container.is_object() && !place.container.is_array()) return std::nullopt;
  }
  place.key = UnescapeToken(pointer);
  return place;
}

absl::Status InvalidIndex(std::int64_t index) {
  return Failed(fmt::format("Unable to access invalid index: {}: invalid index referenced", index));
}

// Upstream's strconv.Atoi error.
absl::Status NotAnIndex(std::string_view key) {
  return Failed(fmt::format("strconv.Atoi: parsing {}: invalid syntax", GoQuote(key)));
}

// Upstream: partialArray.get. A missing field of an object is null.
absl::StatusOr<Value> GetAt(const PointerPlace& place) {
  if (!place.container.is_array()) return Value(place.container.Get(place.key));
  const auto number = ParseGoInt(place.key);
  if (!number) return NotAnIndex(place.key);
  const auto index = ExistingIndex(place.container, place.key);
  if (!index) return InvalidIndex(*number);
  return Value(place.container.at(*index));
}

std::vector<Value> CopyItems(const Value& array) {
  return {array.items().begin(), array.items().end()};
}

Value WithContainer(const Value& doc, const PointerPlace& place, Value container) {
  return doc.Set(place.path, std::move(container));
}

// Upstream: partialArray.add, partialDoc.add.
absl::StatusOr<Value> AddAt(const Value& doc, const PointerPlace& place, Value v) {
  if (!place.container.is_array()) {
    return WithContainer(doc, place, place.container.Set(place.key, std::move(v)));
  }
  std::vector<Value> items = CopyItems(place.container);
  const auto size = static_cast<std::int64_t>(items.size());
  std::int64_t at = size;
  if (place.key != "-") {
    const auto index = ParseGoInt(place.key);
    if (!index) {
      return Annotate(NotAnIndex(place.key),
                      fmt::format("value was not a proper array index: '{}'", place.key));
    }
    if (*index > size || *index < -(size + 1)) return InvalidIndex(*index);
    at = *index < 0 ? *index + size + 1 : *index;
  }
  items.insert(items.begin() + at, std::move(v));
  return WithContainer(doc, place, Value::Array(std::move(items)));
}

absl::StatusOr<Value> RemoveAt(const Value& doc, const PointerPlace& place) {
  if (!place.container.is_array()) {
    if (!place.container.Has(place.key)) {
      return Failed(fmt::format("Unable to remove nonexistent key: {}: {}", place.key, kMissing));
    }
    return WithContainer(doc, place, place.container.Erase(place.key));
  }
  const auto number = ParseGoInt(place.key);
  if (!number) return NotAnIndex(place.key);
  const auto index = ExistingIndex(place.container, place.key);
  if (!index) return InvalidIndex(*number);
  std::vector<Value> items = CopyItems(place.container);
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(*index));
  return WithContainer(doc, place, Value::Array(std::move(items)));
}

Value ReplaceAt(const Value& doc, const PointerPlace& place, Value v) {
  if (!place.container.is_array()) {
    return WithContainer(doc, place, place.container.Set(place.key, std::move(v)));
  }
  const auto index = static_cast<std::uint32_t>(*ExistingIndex(place.container, place.key));
  return doc.Set(place.path.Child(PathStep::Index(index)), std::move(v));
}

class Operation {
 public:
  explicit Operation(const Value& op) : op_(op) {}

  absl::StatusOr<Value> Apply(const Value& doc) const {
    const std::string_view kind = op_.Get("op").AsString();
    if (kind == "add") return Add(doc);
    if (kind == "remove") return Remove(doc);
    if (kind == "replace") return Replace(doc);
    if (kind == "move") return Move(doc);
    if (kind == "copy") return Copy(doc);
    if (kind == "test") return Test(doc);
    const bool named = op_.Get("op").is_string();
    return Failed(fmt::format("Unexpected kind: {}", named ? kind : "unknown"));
  }

 private:
  absl::StatusOr<std::string_view> Field(std::string_view name) const {
    const Value& v = op_.Get(name);
    if (v.is_string()) return v.AsString();
    const std::string_view kind = op_.Get("op").AsString();
    const std::string_view comma = name == "from" ? "operation, " : "operation ";
    return Failed(fmt::format("{} operation failed to decode {}: {}missing {} field: {}", kind,
                              name, comma, name, kMissing));
  }

  // The container that `pointer` ends in; `missing` is upstream's error if there is none.
  static absl::StatusOr<PointerPlace> Find(const Value& doc, std::string_view pointer,
                                           const std::string& missing) {
    auto place = FindPlace(doc, pointer);
    if (!place) return Failed(fmt::format("{}: {}", missing, kMissing));
    return *std::move(place);
  }

  absl::StatusOr<Value> Add(const Value& doc) const {
    ASSIGN_OR_RETURN(const std::string_view path, Field("path"));
    ASSIGN_OR_RETURN(
        const PointerPlace place,
        Find(doc, path,
             fmt::format("add operation does not apply: doc is missing path: \"{}\"", path)));
    auto result = AddAt(doc, place, op_.Get("value"));
    if (result.ok()) return result;
    return Annotate(result.status(), fmt::format("error in add for path: '{}'", path));
  }

  absl::StatusOr<Value> Remove(const Value& doc) const {
    ASSIGN_OR_RETURN(const std::string_view path, Field("path"));
    ASSIGN_OR_RETURN(
        const PointerPlace place,
        Find(doc, path,
             fmt::format("remove operation does not apply: doc is missing path: \"{}\"", path)));
    auto result = RemoveAt(doc, place);
    if (result.ok()) return result;
    return Annotate(result.status(), fmt::format("error in remove for path: '{}'", path));
  }

  absl::StatusOr<Value> Replace(const Value& doc) const {
    ASSIGN_OR_RETURN(const std::string_view path, Field("path"));
    const Value& v = op_.Get("value");
    if (path.empty()) {
      if (v.is_object() || v.is_array()) return v;
      // As upstream has it: the error that it would wrap is nil.
      return Failed("replace operation value must be object or array: %!w(<nil>)");
    }
    ASSIGN_OR_RETURN(
        const PointerPlace place,
        Find(doc, path,
             fmt::format("replace operation does not apply: doc is missing path: {}", path)));
    if (!GetAt(place).ok()) {
      return Failed(fmt::format("replace operation does not apply: doc is missing key: {}: {}",
                                path, kMissing));
    }
    return ReplaceAt(doc, place, v);
  }

  absl::StatusOr<Value> Move(const Value& doc) const {
    ASSIGN_OR_RETURN(const std::string_view from, Field("from"));
    ASSIGN_OR_RETURN(
        const PointerPlace source,
        Find(doc, from,
             fmt::format("move operation does not apply: doc is missing from path: {}", from)));
    const auto moved = GetAt(source);
    const auto without = moved.ok() ? RemoveAt(doc, source) : moved;
    if (!without.ok()) {
      return Annotate(without.status(), fmt::format("error in move for path: '{}'", source.key));
    }
    ASSIGN_OR_RETURN(const std::string_view path, Field("path"));
    ASSIGN_OR_RETURN(
        const PointerPlace target,
        Find(*without, path,
             fmt::format("move operation does not apply: doc is missing destination path: {}",
                         path)));
    auto result = AddAt(*without, target, *moved);
    if (result.ok()) return result;
    return Annotate(result.status(), fmt::format("error in move for path: '{}'", path));
  }

  absl::StatusOr<Value> Copy(const Value& doc) const {
    ASSIGN_OR_RETURN(const std::string_view from, Field("from"));
    ASSIGN_OR_RETURN(
        const PointerPlace source,
        Find(doc, from,
             fmt::format("copy operation does not apply: doc is missing from path: {}", from)));
    const auto copied = GetAt(source);
    if (!copied.ok()) {
      return Annotate(copied.status(), fmt::format("error in copy for from: '{}'", from));
    }
    ASSIGN_OR_RETURN(const std::string_view path, Field("path"));
    ASSIGN_OR_RETURN(
        const PointerPlace target,
        Find(doc, path,
             fmt::format("copy operation does not apply: doc is missing destination path: {}",
                         path)));
    auto result = AddAt(doc, target, *copied);
    if (result.ok()) return result;
    return Annotate(result.status(), "error while adding value during copy");
  }

  absl::StatusOr<Value> Test(const Value& doc) const {
    ASSIGN_OR_RETURN(const std::string_view path, Field("path"));
    absl::StatusOr<Value> found = doc;
    if (!path.empty()) {
      ASSIGN_OR_RETURN(
          const PointerPlace place,
          Find(doc, path, fmt::format("test operation does not apply: is missing path: {}", path)));
      found = GetAt(place);
    }
    if (!found.ok()) {
      return Annotate(found.status(), fmt::format("error in test for path: '{}'", path));
    }
    if (*found == op_.Get("value")) return doc;
    return Failed(fmt::format("testing value {} failed: test failed", path));
  }

  const Value& op_;
};

}  // namespace

absl::StatusOr<Value> ApplyJsonPatch(const Value& target, const Value& patch) {
  if (!patch.is_array()) {
    return InvalidText(fmt::format(
        "json: cannot unmarshal {} into Go value of type jsonpatch.Patch", patch.type_name()));
  }
  for (const Value& op : patch.items()) {
    if (op.is_object()) continue;
    if (op.is_null()) return absl::FailedPreconditionError("operation without an op");
    return InvalidText(fmt::format(
        "json: cannot unmarshal {} into Go value of type jsonpatch.Operation", op.type_name()));
  }
  if (patch.size() > kMaxOperations) {
    const std::string message =
        fmt::format("The allowed maximum operations in a JSON patch is {}, got {}", kMaxOperations,
                    patch.size());
    return absl::ResourceExhaustedError(AbslView(message));
  }
  Value doc = target;
  for (const Value& op : patch.items()) {
    ASSIGN_OR_RETURN(doc, Operation(op).Apply(doc));
  }
  return doc;
}

}  // namespace ksim::value
