// Field errors: the errors that validation finds at one place of an object, composed as Kubernetes
// composes them. They show the bad value as Go's %#v or as JSON (Profile::bad_values_as_json).
//
// Source: apimachinery pkg/util/validation/field/errors.go (ErrorBody), path.go.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/status.h"
#include "ksim/value/value.h"

namespace ksim::api {

// A place, as a chain of temporaries on the stack: nothing is built until an error needs its text.
class FieldPath {
 public:
  explicit FieldPath(std::string_view name) : name_(name) {}
  FieldPath Child(std::string_view name) const { return FieldPath(this, name, Kind::kField, 0); }
  FieldPath Index(std::size_t i) const { return FieldPath(this, {}, Kind::kIndex, i); }
  FieldPath Key(std::string_view key) const { return FieldPath(this, key, Kind::kKey, 0); }
  std::string ToString() const;  // spec.containers[0].resources.limits[cpu]

 private:
  enum class Kind : std::uint8_t { kField, kIndex, kKey };
  FieldPath(const FieldPath* parent, std::string_view name, Kind kind, std::size_t index)
      : parent_(parent), name_(name), kind_(kind), index_(index) {}
  void AppendTo(std::string* out) const;

  const FieldPath* parent_ = nullptr;
  std::string_view name_;
  Kind kind_ = Kind::kField;
  std::size_t index_ = 0;
};

// The Go type of a bad value that is no scalar, which decides how Go prints it.
enum class GoShape : std::uint8_t {
  kStringMap,      // map[string]string
  kStringSlice,    // []string
  kLabelSelector,  // metav1.LabelSelector
  kIntOrString,    // intstr.IntOrString
  kTime,           // metav1.Time
  kStringer,       // a text with a String() of its own: bare
  kOther,          // JSON in every version
};

class FieldErrorList {
 public:
  explicit FieldErrorList(Compat compat) : compat_(compat), profile_(ProfileOf(compat)) {}
  Compat compat() const { return compat_; }
  const Profile& profile() const { return profile_; }

  void Required(const FieldPath& field, std::string_view detail = {});
  void Forbidden(const FieldPath& field, std::string_view detail);
  void TooLong(const FieldPath& field, std::int64_t max);
  void TooMany(const FieldPath& field, std::size_t items, std::size_t max);
  void Invalid(const FieldPath& field, std::string_view bad, std::string_view detail);
  void Invalid(const FieldPath& field, std::int64_t bad, std::string_view detail);
  void Invalid(const FieldPath& field, const value::Value& bad, GoShape shape,
               std::string_view detail);
  // One error for each message; none for none.
  void InvalidAll(const FieldPath& field, std::string_view bad,
                  const std::vector<std::string>& details);
  void NotSupported(const FieldPath& field, std::string_view bad,
                    std::initializer_list<std::string_view> supported);
  void Duplicate(const FieldPath& field, std::string_view bad);
  void DuplicateAs(const FieldPath& field, std::string_view bad);  // `bad` is as Go prints it
  void NotFound(const FieldPath& field, std::string_view bad);
  void NonNegative(const FieldPath& field, const value::Value& number);
  // An error whose body is complete.
  void Add(std::string reason, std::string body, std::string field);

  bool empty() const { return causes_.empty(); }
  std::size_t size() const { return causes_.size(); }
  std::vector<StatusCause> Take() { return std::move(causes_); }

 private:
  Compat compat_;
  const Profile& profile_;
  std::vector<StatusCause> causes_;
};

// Refuses a text that is none of `allowed`; an empty one is missing if it is `required`.
void ValidateChoice(std::string_view choice, bool required, const FieldPath& path,
                    std::initializer_list<std::string_view> allowed, FieldErrorList* errors);

// The value as Go shows it in an error of that version.
std::string GoValue(const value::Value& v, GoShape shape, Compat compat);

}  // namespace ksim::api
