// Pager: a list in pages. Follow-up pages carry the continue token and the limit, no resource
// version; the merged list has the version of its first page. If a later page's token has expired,
// one full list is made instead.
//
// Source: client-go tools/pager/pager.go (ListWithAlloc). CLIENT-12, CLIENT-13.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ksim/client/client.h"

namespace ksim::client {

inline constexpr std::int64_t kDefaultPageSize = 500;

struct PagedList {
  PagedList() = default;
  api::Result<ListResult> list = ListResult();
  bool paginated = false;               // a second page was asked for
  std::vector<std::uint64_t> requests;  // ids, in order
};

// `page_size` 0 = no limit. `options` has no limit and no continue token.
sim::Task<PagedList> ListPages(Client& client, const api::ResourceInfo* r, SharedText ns,
                               api::ListOptions options, std::int64_t page_size);

}  // namespace ksim::client
