#include "ksim/api/kinds/shared/claim_defaults.h"

#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/shared/pod_template.h"

namespace ksim::api {

using value::Value;

Value DefaultClaim(const Value& tree) {
  Value claim = EditSpec(tree, [](const Value& spec) {
    return WithDefault(spec, Fields().volume_mode, Value::Of("Filesystem"));
  });
  claim = WithDefault(std::move(claim), Fields().status, Value::EmptyObject());
  return EditField(std::move(claim), Fields().status, [](const Value& status) {
    return WithNonEmpty(status, Fields().phase, Value::Of("Pending"));
  });
}

}  // namespace ksim::api
