#include "ksim/base/shared_text.h"

#include <cstring>
#include <limits>
#include <new>

#include "ksim/base/check.h"

namespace ksim {

SharedText::Rep* SharedText::New(std::string_view text) {
  KSIM_CHECK(text.size() <= std::numeric_limits<std::uint32_t>::max());
  void* room = ::operator new(sizeof(Rep) + text.size());
  Rep* rep = new (room) Rep{1, static_cast<std::uint32_t>(text.size())};
  std::memcpy(rep->letters(), text.data(), text.size());
  return rep;
}

void SharedText::Drop(Rep* rep) noexcept {
  if (--rep->holders == 0) ::operator delete(rep);
}

}  // namespace ksim
