// NamespacePolicies: the objects of one resource that set rules for a namespace (ResourceQuotas,
// LimitRanges), as an admission plugin reads them: from the watch cache, and where that has none
// from etcd, which it then believes for half a minute.
//
// Source: apiserver pkg/admission/plugin/resourcequota/resource_access.go GetQuotas;
// plugin/pkg/admission/limitranger/admission.go GetLimitRanges.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/admission/plugin.h"
#include "ksim/apiserver/cacher/resources.h"
#include "ksim/base/time.h"
#include "ksim/sim/task.h"

namespace ksim::apiserver {

class NamespacePolicies {
 public:
  // `looks_up_live`: etcd is asked although the cache is filled.
  NamespacePolicies(const PluginContext& context, std::string_view resource, bool looks_up_live);

  // In the order of their names.
  sim::Task<api::Result<std::vector<api::Object>>> In(std::string ns);
  CacheDelegator& storage() { return storage_; }

 private:
  struct Lookup {
    VirtualTime expiry;
    std::vector<api::Object> items;
  };
  PluginContext context_;
  CacheDelegator& storage_;
  bool looks_up_live_;
  std::map<std::string, Lookup> lookups_;  // by namespace
};

}  // namespace ksim::apiserver
