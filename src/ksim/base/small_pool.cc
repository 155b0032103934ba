#include "ksim/base/small_pool.h"

#include "ksim/base/free_lists.h"

namespace ksim {
namespace {
using Places = FreeLists<16, 1024>;
}  // namespace

void* SmallPool::Allocate(std::size_t bytes) { return Places::Allocate(bytes); }

void SmallPool::Free(void* place, std::size_t bytes) noexcept { Places::Free(place, bytes); }

}  // namespace ksim
