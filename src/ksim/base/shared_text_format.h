// SharedText as an argument of fmt, as any other string. Apart from the type, since a public header
// includes no fmt.
#pragma once
#include <fmt/core.h>

#include "ksim/base/shared_text.h"

template <>
struct fmt::formatter<ksim::SharedText> : fmt::formatter<fmt::string_view> {
  template <class Context>
  auto format(const ksim::SharedText& text, Context& context) const {
    return fmt::formatter<fmt::string_view>::format({text.view().data(), text.size()}, context);
  }
};
