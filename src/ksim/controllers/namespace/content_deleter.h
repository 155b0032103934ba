// NamespaceDeleter: one attempt to finish the deletion of a namespace: marks it as terminating,
// deletes what is in it kind by kind, writes down how far that went, and takes its finalizer away
// once nothing is left.
//
// Source: pkg/controller/namespace/deletion/namespaced_resources_deleter.go.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/api/status.h"
#include "ksim/client/client.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/namespace/namespace_conditions.h"
#include "ksim/sim/process.h"
#include "ksim/sim/task.h"

namespace ksim::controllers {

class NamespaceDeleter {
 public:
  // All outlive the deleter.
  NamespaceDeleter(client::Client& client, const sim::Process& clock, const Profile& profile);

  struct Outcome {
    Outcome() = default;
    std::string error;          // "" = none
    std::int64_t estimate = 0;  // seconds until what is left may be gone; 0 = nothing is waited for
  };
  sim::Task<Outcome> Delete(std::string name);

 private:
  // The remains of one resource after an attempt to empty it.
  struct Emptied {
    Emptied() = default;
    std::string error;
    std::int64_t estimate = 0;
    std::int64_t remaining = 0;
    std::map<std::string, std::int64_t> finalizers;
  };
  // The result of a write, or nothing where the namespace is gone.
  using Written = api::Result<api::Object>;
  using Write = sim::Task<Written> (NamespaceDeleter::*)(api::Object ns);

  sim::Task<Written> RetryOnConflict(api::Object ns, Write write);
  sim::Task<Written> MarkAsTerminating(api::Object ns);
  sim::Task<Written> Finalize(api::Object ns);

  sim::Task<Outcome> DeleteContent(api::Object ns);
  sim::Task<void> WriteConditions(api::Object ns, const NamespaceConditions* conditions);
  sim::Task<Emptied> Empty(const api::ResourceInfo* resource, api::Object ns);
  // Seconds that the pods of the namespace may still take.
  sim::Task<api::Result<std::int64_t>> EstimatePods(api::Object ns);
  // False: the server does not do that for this resource.
  sim::Task<api::Result<bool>> DeleteCollection(const api::ResourceInfo* resource, std::string ns);
  sim::Task<api::Status> DeleteEach(const api::ResourceInfo* resource, std::string ns);
  // nullopt: the server does not list this resource.
  sim::Task<api::Result<std::optional<client::ListResult>>> List(const api::ResourceInfo* resource,
                                                                 std::string ns);

  client::Client& client_;
  const sim::Process& clock_;
  const Profile& profile_;
  const api::ResourceInfo* namespaces_;
  const api::ResourceInfo* pods_;
};

}  // namespace ksim::controllers
