#include "ksim/base/internal/shared_text.h"

#include <cstring>
#include <limits>
#include <new>

#include "ksim/base/check.h"
#include "ksim/base/internal/small_pool.h"

namespace ksim {

SharedText::Rep* SharedText::New(std::string_view text) {
  KSIM_CHECK(text.size() <= std::numeric_limits<std::uint32_t>::max());
  void* room = SmallPool::Allocate(sizeof(Rep) + text.size());
  Rep* rep = new (room) Rep{1, static_cast<std::uint32_t>(text.size())};
  std::memcpy(rep->letters(), text.data(), text.size());
  return rep;
}

void SharedText::Drop(Rep* rep) noexcept {
  if (--rep->holders == 0) SmallPool::Free(rep, sizeof(Rep) + rep->size);
}

}  // namespace ksim
