#include "ksim/client/rest/pager.h"

#include <iterator>
#include <utility>

namespace ksim::client {

sim::Task<PagedList> ListPages(Client& client, const api::ResourceInfo* r, SharedText ns,
                               api::ListOptions options, std::int64_t page_size) {
  PagedList out;
  const api::ListOptions original = options;
  options.limit = page_size;
  for (;;) {
    api::Result<ListResult> page = co_await client.List(r, ns, options);
    out.requests.push_back(client.last_request_id());
    if (!page.ok()) {
      if (!out.paginated || !api::IsExpired(page.status())) {
        out.list = page.status();
        co_return out;
      }
      api::Result<ListResult> full = co_await client.List(r, ns, original);
      out.requests.push_back(client.last_request_id());
      out.list = std::move(full);
      co_return out;
    }
    options.continue_token = page->continue_token;
    if (!out.paginated) {
      out.list = std::move(page);
    } else {
      std::vector<api::Object>& items = out.list->items;
      items.insert(items.end(), std::make_move_iterator(page->items.begin()),
                   std::make_move_iterator(page->items.end()));
    }
    if (options.continue_token.empty()) co_return out;
    options.resource_version.clear();
    options.resource_version_match.clear();
    out.paginated = true;
  }
}

}  // namespace ksim::client
