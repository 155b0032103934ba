// FilteringHandler (include/ksim/client/informer.h).
//
// Source: client-go tools/cache/controller.go (FilteringResourceEventHandler).
#include "ksim/client/informer.h"

namespace ksim::client {

void FilteringHandler::OnAdd(const api::Object& object, bool is_in_initial_list) {
  if (filter_(object, false)) handler_->OnAdd(object, is_in_initial_list);
}

void FilteringHandler::OnUpdate(const api::Object& old_object, const api::Object& new_object) {
  const bool newer = filter_(new_object, false);
  const bool older = filter_(old_object, false);
  if (newer && older) {
    handler_->OnUpdate(old_object, new_object);
  } else if (newer) {
    handler_->OnAdd(new_object, false);
  } else if (older) {
    Deleted deleted;
    deleted.object = old_object;
    handler_->OnDelete(deleted);
  }
}

void FilteringHandler::OnDelete(const Deleted& deleted) {
  if (filter_(deleted.object, deleted.tombstone)) handler_->OnDelete(deleted);
}

}  // namespace ksim::client
