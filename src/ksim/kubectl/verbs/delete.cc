// kubectl delete.
//
// Source: kubectl pkg/cmd/delete/delete.go.
#include <fmt/format.h>

#include <optional>
#include <vector>

#include "ksim/kubectl/printing/object_name.h"
#include "ksim/kubectl/verbs/messages.h"
#include "ksim/kubectl/verbs/verbs.h"

namespace ksim::kubectl {
namespace {

// An object to delete, with the uid if it was looked up.
struct DeletionTarget {
  DeletionTarget(Session::Info i, std::string_view n, std::string_view m)
      : info(i), ns(n), name(m) {}
  Session::Info info;
  std::string ns, name, uid;
  bool gone = false;  // an earlier try has deleted it
};

std::string PropagationPolicy(const std::string& cascade) {
  if (cascade == "orphan") return "Orphan";
  return cascade == "foreground" ? "Foreground" : "Background";
}

sim::Task<api::Response> DeleteOne(Session& session, Session::Info info, std::string ns,
                                   std::string name, const DeleteOptions& options) {
  api::Request request = RequestFor(api::Verb::kDelete, info, ns, name);
  request.del.propagation_policy = PropagationPolicy(options.cascade);
  request.del.grace_period_seconds = options.grace_period_seconds;
  co_return co_await session.Send(std::move(request));
}

// Waits until the object of that uid is gone. False if the watch cannot be had.
sim::Task<bool> WaitUntilGone(Session& session, Session::Info info, std::string ns,
                              std::string name, std::string uid) {
  const std::string scope = info->namespaced ? ns : std::string();
  while (true) {
    api::ListOptions options;
    options.field_selector = "metadata.name=" + name;
    api::Result<client::ListResult> list = co_await session.client().List(info, scope, options);
    if (!list.ok()) co_return false;
    const bool there = !list->items.empty() && list->items.front().uid() == uid;
    if (!there) co_return true;
    options.resource_version = std::to_string(list->resource_version);
    api::Result<std::unique_ptr<client::WatchStream>> watch =
        co_await session.client().Watch(info, scope, options);
    if (!watch.ok()) co_return false;
    const std::unique_ptr<client::WatchStream> stream = std::move(watch).value();
    while (true) {
      std::optional<api::WatchEvent> event = co_await stream->Next();
      if (!event || event->type == api::WatchEventType::kError) break;
      if (event->type == api::WatchEventType::kDeleted) co_return true;
    }
  }
}

sim::Task<std::vector<DeletionTarget>> FindDeletionTargets(Session& session,
                                                           const DeleteOptions& options,
                                                           CommandOutput* output) {
  std::vector<DeletionTarget> targets;
  for (const value::Value& manifest : options.manifests) {
    Session::Info info = session.ResourceOfManifest(manifest, output);
    if (info == nullptr) co_return targets;
    const api::Object object = ObjectOfManifest(*info, manifest);
    targets.emplace_back(info, object.ns(), object.name());
  }
  const Target& target = options.target;
  if (target.resource.empty()) co_return targets;
  Session::Info info = session.ResourceOf(target);
  if (!target.name.empty()) {
    targets.emplace_back(info, target.ns, target.name);
    co_return targets;
  }
  const api::Response found = co_await session.FindTargets(info, target);
  if (found.code != 200) output->error = ErrorText(found);
  for (const api::Object& o : found.items) {
    if (options.limit && static_cast<std::int64_t>(targets.size()) >= *options.limit) break;
    targets.emplace_back(info, o.ns(), o.name());
  }
  if (targets.empty() && output->ok()) output->lines.push_back("No resources found");
  co_return targets;
}

// delete.go PrintObj.
std::string DeletedLine(const DeletionTarget& target, bool forced, const Profile& profile) {
  std::string kind = target.info->singular;
  if (!target.info->group.empty()) kind += "." + target.info->group;
  const bool with_namespace = profile.delete_names_namespace && target.info->namespaced;
  return fmt::format("{} \"{}\" {}deleted{}", kind, target.name, forced ? "force " : "",
                     with_namespace ? fmt::format(" from {} namespace", target.ns) : "");
}

}  // namespace

sim::Task<CommandOutput> Delete(Session& session, const DeleteOptions& options,
                                EarlierTries& tries) {
  CommandOutput output;
  const bool forced = options.grace_period_seconds == 0;  // as with --force
  if (forced)
    output.lines.emplace_back(
        "Warning: Immediate deletion does not wait for confirmation that the running resource has "
        "been terminated. The resource may continue to run on the cluster indefinitely.");
  std::vector<DeletionTarget> targets = co_await FindDeletionTargets(session, options, &output);
  if (!output.ok()) co_return output;

  // Delete all.
  for (DeletionTarget& target : targets) {
    const api::Response response =
        co_await DeleteOne(session, target.info, target.ns, target.name, options);
    if (!tries.IsSettled(ObjectPath(*target.info, target.ns, target.name), response)) {
      output.error = ErrorText(response, options.target.resource.empty() ? "deleting" : "");
      co_return output;
    }
    target.gone = response.code == 404;
    target.uid = response.status.details->uid;
    if (!response.object.empty()) target.uid = std::string(response.object.uid());
    output.lines.push_back(DeletedLine(target, forced, session.profile()));
  }

  // Wait for each.
  for (const DeletionTarget& target : targets) {
    if (!options.wait) break;
    if (target.gone) continue;
    const bool gone =
        co_await WaitUntilGone(session, target.info, target.ns, target.name, target.uid);
    if (!gone) output.error = fmt::format("error: cannot watch {}", target.name);
  }
  co_return output;
}

}  // namespace ksim::kubectl
