#include "ksim/controllers/common/controller_ref.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ksim::controllers {

using value::Value;

namespace {

// The finalizers of NewPodControllerRefManager: a Job has one on its pods.
Value PodFinalizersOf(const api::Object& owner) {
  if (owner.kind() != "Job") return {};
  return value::Arr({Value::Of("batch.kubernetes.io/job-tracking")});
}

}  // namespace

Value AdoptPatch(const api::Object& owner, const api::Object& pod) {
  const Value reference = value::Obj({{"apiVersion", Value::String(owner.api_version())},
                                      {"kind", Value::String(owner.kind())},
                                      {"name", Value::String(owner.name())},
                                      {"uid", Value::String(owner.uid())},
                                      {"controller", Value::Bool(true)},
                                      {"blockOwnerDeletion", Value::Bool(true)}});
  const Value finalizers = PodFinalizersOf(owner);
  const Value metadata = value::ObjectBuilder()
                             .Add("ownerReferences", value::Arr({reference}))
                             .Add("uid", Value::String(pod.uid()))
                             .AddIf(!finalizers.is_null(), "finalizers", finalizers)
                             .Build();
  return value::Obj({{"metadata", metadata}});
}

Value ReleasePatch(const api::Object& owner, const api::Object& pod) {
  const Value reference =
      value::Obj({{"$patch", Value::Of("delete")}, {"uid", Value::String(owner.uid())}});
  const Value finalizers = PodFinalizersOf(owner);
  const Value metadata =
      value::ObjectBuilder()
          .Add("ownerReferences", value::Arr({reference}))
          .Add("uid", Value::String(pod.uid()))
          .AddIf(!finalizers.is_null(), "$deleteFromPrimitiveList/finalizers", finalizers)
          .Build();
  return value::Obj({{"metadata", metadata}});
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

PodClaimer::PodClaimer(client::Client& client, PodControl& pods, const api::ResourceInfo* resource,
                       api::Object owner, value::LabelSelector selector)
    : client_(client),
      pods_(pods),
      resource_(resource),
      owner_(std::move(owner)),
      selector_(std::move(selector)) {}

sim::Task<PodClaimer::Claimed> PodClaimer::Claim(std::vector<api::Object> candidates) {
  Claimed claimed;
  std::vector<api::Status> errors;
  for (const api::Object& pod : candidates) {
    const std::optional<api::OwnerReference> controller = pod.controller();
    const bool matches = selector_.Matches(pod.labels());
    if (controller) {
      if (controller->uid != owner_.uid()) continue;
      if (matches) {
        claimed.pods.push_back(pod);
      } else if (!owner_.deleting()) {
        std::optional<api::Status> error = co_await Release(pod);
        if (error) errors.push_back(*std::move(error));
      }
      continue;
    }
    if (owner_.deleting() || !matches || pod.deleting()) continue;
    client::Client::ObjectResult adopted = co_await Adopt(pod);
    if (adopted.ok()) {
      claimed.pods.push_back(pod);
      claimed.adopted.push_back(*adopted);
    } else if (!api::IsNotFound(adopted.status())) {
      errors.push_back(adopted.status());
    }
  }
  if (!errors.empty()) claimed.error = Aggregate(errors);
  co_return claimed;
}

sim::Task<client::Client::ObjectResult> PodClaimer::Adopt(api::Object pod) {
  std::optional<api::Status> refused = co_await CanAdopt();
  if (refused) {
    co_return api::Unmapped(500, fmt::format("can't adopt Pod {}/{} ({}): {}", pod.ns(), pod.name(),
                                             pod.uid(), refused->message));
  }
  const Value patch = AdoptPatch(owner_, pod);
  co_return co_await pods_.Patch(std::string(pod.ns()), std::string(pod.name()), patch);
}

sim::Task<std::optional<api::Status>> PodClaimer::Release(api::Object pod) {
  const Value patch = ReleasePatch(owner_, pod);
  client::Client::ObjectResult released =
      co_await pods_.Patch(std::string(pod.ns()), std::string(pod.name()), patch);
  if (released.ok() || api::IsNotFound(released.status()) || api::IsInvalid(released.status())) {
    co_return std::nullopt;
  }
  co_return released.status();
}

sim::Task<std::optional<api::Status>> PodClaimer::CanAdopt() {
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

}  // namespace ksim::controllers
