// ObjectConverter: asks the webhook that a CustomResourceDefinition names to convert objects of its
// kind (strategy Webhook). Beside it, the whole way between the form in which an object is served
// and the one in which it is stored where such a webhook converts: event_conversion.h has the way
// of all other kinds, which never waits.
//
// Source: apiextensions-apiserver pkg/apiserver/customresource_handler.go
// (crdConversionRESTOptionsGetter, schemaCoercingConverter), pkg/apiserver/conversion/converter.go.
#pragma once
#include <string>
#include <string_view>

#include "ksim/api/kinds.h"
#include "ksim/api/status.h"
#include "ksim/sim/task.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

class ObjectConverter {
 public:
  virtual ~ObjectConverter() = default;
  // The object at another version of its kind, or 500 if the webhook could not convert it.
  virtual sim::Task<api::Result<value::Value>> Convert(const api::ResourceInfo& kind,
                                                       value::Value tree, std::string version) = 0;
};

// Whether a webhook converts between the versions of this kind.
bool IsConvertedByWebhook(const api::ResourceInfo& r);

// Whether the webhook has to be asked to store the object, which is served as `r`, and to serve the
// object, which is stored, as `r`: objects that have the version already are left alone.
bool AsksToStore(const api::ResourceInfo& r, const value::Value& tree);
bool AsksToServe(const api::ResourceInfo& r, const value::Value& tree);

// ToStored and FromStored of such an object.
sim::Task<api::Result<value::Value>> StoredByWebhook(ObjectConverter& converter,
                                                     const api::ResourceInfo& r, value::Value tree);
sim::Task<api::Result<value::Value>> ServedByWebhook(ObjectConverter& converter,
                                                     const api::ResourceInfo& r, value::Value tree);

}  // namespace ksim::apiserver
