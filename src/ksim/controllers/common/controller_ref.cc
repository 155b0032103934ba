#include "ksim/controllers/common/controller_ref.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ksim::controllers {

using value::Value;

Value AdoptPatch(const api::Object& owner, const api::Object& pod) {
  const Value reference = value::Obj({{"apiVersion", Value::String(owner.api_version())},
                                      {"kind", Value::String(owner.kind())},
                                      {"name", Value::String(owner.name())},
                                      {"uid", Value::String(owner.uid())},
                                      {"controller", Value::Bool(true)},
                                      {"blockOwnerDeletion", Value::Bool(true)}});
  return value::Obj({{"metadata", value::Obj({{"ownerReferences", value::Arr({reference})},
                                              {"uid", Value::String(pod.uid())}})}});
}

Value ReleasePatch(const api::Object& owner, const api::Object& pod) {
  const Value reference =
      value::Obj({{"$patch", Value::Of("delete")}, {"uid", Value::String(owner.uid())}});
  return value::Obj({{"metadata", value::Obj({{"ownerReferences", value::Arr({reference})},
                                              {"uid", Value::String(pod.uid())}})}});
}

namespace {

// utilerrors.NewAggregate: the first, with what all say, each text once.
api::Status Aggregate(const std::vector<api::Status>& errors) {
  std::vector<std::string> texts;
  for (const api::Status& error : errors) {
    const std::string text = error.message.str();
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
  }
  api::Status all = errors.front();
  if (texts.size() > 1) all.message = fmt::format("[{}]", fmt::join(texts, ", "));
  return all;
}

// A metav1.Time as Go prints it.
std::string GoTime(std::string_view rfc3339) {
  if (rfc3339.size() < 19) return std::string(rfc3339);
  return fmt::format("{} {} +0000 UTC", rfc3339.substr(0, 10), rfc3339.substr(11, 8));
}

}  // namespace

ObjectClaimer::ObjectClaimer(client::Client& client, const api::ResourceInfo* claimed,
                             const api::ResourceInfo* resource, api::Object owner,
                             value::LabelSelector selector)
    : client_(client),
      claimed_(claimed),
      resource_(resource),
      owner_(std::move(owner)),
      selector_(std::move(selector)) {}

sim::Task<ObjectClaimer::Claimed> ObjectClaimer::Claim(std::vector<api::Object> candidates) {
  Claimed claimed;
  std::vector<api::Status> errors;
  for (const api::Object& object : candidates) {
    const std::optional<api::OwnerReference> controller = object.controller();
    const bool matches = selector_.Matches(object.labels());
    if (controller) {
      if (controller->uid != owner_.uid()) continue;
      if (matches) {
        claimed.objects.push_back(object);
      } else if (!owner_.deleting()) {
        std::optional<api::Status> error = co_await Release(object);
        if (error) errors.push_back(*std::move(error));
      }
      continue;
    }
    if (owner_.deleting() || !matches || object.deleting()) continue;
    client::Client::ObjectResult adopted = co_await Adopt(object);
    if (adopted.ok()) {
      claimed.objects.push_back(object);
      claimed.adopted.push_back(*adopted);
    } else if (!api::IsNotFound(adopted.status())) {
      errors.push_back(adopted.status());
    }
  }
  if (!errors.empty()) claimed.error = Aggregate(errors);
  co_return claimed;
}

sim::Task<client::Client::ObjectResult> ObjectClaimer::Adopt(api::Object object) {
  std::optional<api::Status> refused = co_await CanAdopt();
  if (refused) {
    co_return api::Unmapped(
        500, fmt::format("can't adopt {} {}/{} ({}): {}", claimed_->kind, object.ns(),
                         object.name(), object.uid(), refused->message));
  }
  const Value patch = AdoptPatch(owner_, object);
  const client::PatchOptions options(api::PatchType::kStrategic);
  co_return co_await client_.Patch(claimed_, std::string(object.ns()), std::string(object.name()),
                                   patch, options);
}

sim::Task<std::optional<api::Status>> ObjectClaimer::Release(api::Object object) {
  const Value patch = ReleasePatch(owner_, object);
  const client::PatchOptions options(api::PatchType::kStrategic);
  client::Client::ObjectResult released = co_await client_.Patch(
      claimed_, std::string(object.ns()), std::string(object.name()), patch, options);
  if (released.ok() || api::IsNotFound(released.status()) || api::IsInvalid(released.status())) {
    co_return std::nullopt;
  }
  co_return released.status();
}

sim::Task<std::optional<api::Status>> ObjectClaimer::CanAdopt() {
  if (asked_) co_return refusal_;
  asked_ = true;
  client::Client::ObjectResult fresh =
      co_await client_.Get(resource_, std::string(owner_.ns()), std::string(owner_.name()));
  constexpr std::string_view kNoAnswer = "can't recheck DeletionTimestamp: ";
  if (!fresh.ok()) {
    refusal_ = fresh.status();
    refusal_->message = fmt::format("{}{}", kNoAnswer, refusal_->message);
  } else if (fresh->uid() != owner_.uid()) {
    refusal_ = api::Unmapped(
        500, fmt::format("{}original {} {}/{} is gone: got uid {}, wanted {}", kNoAnswer,
                         owner_.kind(), owner_.ns(), owner_.name(), fresh->uid(), owner_.uid()));
  } else if (fresh->deleting()) {
    refusal_ = api::Unmapped(
        500, fmt::format("{}/{} has just been deleted at {}", fresh->ns(), fresh->name(),
                         GoTime(fresh->metadata().Get("deletionTimestamp").AsString())));
  }
  co_return refusal_;
}

PodClaimer::PodClaimer(client::Client& client, PodControl&, const api::ResourceInfo* resource,
                       api::Object owner, value::LabelSelector selector)
    : claimer_(client, client.connection().env().kinds.ByResource("", "pods"), resource,
               std::move(owner), std::move(selector)) {}

sim::Task<PodClaimer::Claimed> PodClaimer::Claim(std::vector<api::Object> candidates) {
  ObjectClaimer::Claimed claimed = co_await claimer_.Claim(std::move(candidates));
  Claimed pods;
  pods.pods = std::move(claimed.objects);
  pods.adopted = std::move(claimed.adopted);
  pods.error = std::move(claimed.error);
  co_return pods;
}

}  // namespace ksim::controllers
