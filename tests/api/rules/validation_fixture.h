// Helpers of the tests of validation: objects prepared as the server does, errors as texts.
#pragma once
#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/rules/validation.h"
#include "ksim/api/strategy/defaulting.h"
#include "ksim/api/strategy/strategy.h"
#include "tests/api/fixture.h"

namespace ksim::api {

inline std::vector<std::string> Texts(const FieldErrors& errors) {
  std::vector<std::string> texts;
  for (const StatusCause& c : errors) texts.push_back(c.field + ": " + c.message);
  return texts;
}

inline value::Value Prepared(std::string_view kind, std::string_view yaml,
                             Compat compat = Compat::k1_36) {
  const ResourceInfo& info = KindOf(kind);
  return PrepareForCreate(info, ApplyDefaults(info, Yaml(yaml), compat), compat);
}

inline std::vector<std::string> CreateErrors(std::string_view kind, std::string_view yaml,
                                             Compat compat = Compat::k1_36) {
  return Texts(ValidateCreate(KindOf(kind), Prepared(kind, yaml, compat), compat));
}

inline std::vector<std::string> UpdateErrors(std::string_view kind, const value::Value& updated,
                                             const value::Value& old,
                                             std::string_view subresource = "",
                                             Compat compat = Compat::k1_36) {
  return Texts(ValidateUpdate(KindOf(kind), updated, old, subresource, compat));
}

inline value::Value With(const value::Value& tree, std::string_view path, const value::Value& v) {
  return tree.Set(*value::Path::Parse(path), v);
}

}  // namespace ksim::api
