#include "ksim/controllers/nodeipam/node_ipam_controller.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "ksim/controllers/common/manager_client.h"

namespace ksim::controllers {

using value::Value;

namespace {

constexpr int kIpamWorkers = 30;
constexpr int kAssignTries = 3;

const Value& RangesOf(const api::Object& node) { return node.spec().Get("podCIDRs"); }

}  // namespace

NodeIpamController::NodeIpamController(ControllerContext context)
    : context_(std::move(context)),
      resource_(context_.Resource("", "nodes")),
      client_(context_.connection, context_.actor(), ManagerClient(context_, "node-controller")),
      recorder_(context_.connection, context_.actor(), "cidrAllocator", "",
                client::EventRecorder::Api::kCore, client_.options()),
      nodes_(context_.informers.For(resource_)),
      queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)) {}

void NodeIpamController::Start() {
  handlers_.add = [this](const api::Object& node, bool initial) {
    // Upstream lists the nodes before it begins, so that ranges in use are known first.
    if (initial)
      for (const Value& cidr : RangesOf(node).items()) ranges_.Occupy(cidr.AsString());
    queue_.Add(std::string(node.name()));
  };
  handlers_.update = [this](const api::Object&, const api::Object& node) {
    queue_.Add(std::string(node.name()));
  };
  handlers_.del = [this](const client::Deleted& d) { Release(d.object); };
  nodes_.AddHandler(context_.actor(), &handlers_);
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, context_.name, queue_, *this);
  loop_->Start(kIpamWorkers, {&nodes_});
}

sim::Task<client::ReconcileResult> NodeIpamController::Reconcile(std::string key) {
  const api::Object node = nodes_.lister().Get("", key);
  if (node.empty() || node.deleting()) co_return client::ReconcileResult::Done();
  if (!RangesOf(node).empty()) {
    for (const Value& cidr : RangesOf(node).items()) {
      if (ranges_.Occupy(cidr.AsString())) continue;
      co_return client::ReconcileResult::Error(
          fmt::format("failed to mark cidr[{}] at idx [0] as occupied for node: {}",
                      cidr.AsString(), node.name()));
    }
    co_return client::ReconcileResult::Done();
  }
  std::optional<std::string> cidr = ranges_.AllocateNext();
  if (!cidr) {
    RecordStatus(node, "CIDRNotAvailable");
    co_return client::ReconcileResult::Error(
        "failed to allocate cidr from cluster cidr at idx:0: CIDR allocation failed; there are no "
        "remaining CIDRs left to allocate in the accepted range");
  }
  co_return co_await Assign(node, std::move(*cidr));
}

sim::Task<client::ReconcileResult> NodeIpamController::Assign(api::Object node, std::string cidr) {
  // component-helpers node/util/cidr.go PatchNodeCIDRs.
  const Value patch =
      value::Obj({{"spec", value::Obj({{"podCIDR", Value::String(cidr)},
                                       {"podCIDRs", value::Arr({Value::String(cidr)})}})}});
  const client::PatchOptions options(api::PatchType::kStrategic);
  std::string message;
  for (int i = 0; i < kAssignTries; ++i) {
    client::Client::ObjectResult patched =
        co_await client_.Patch(resource_, "", SharedText(node.name()), patch, options);
    if (patched.ok()) co_return client::ReconcileResult::Done();
    message = patched.status().message.str();
  }
  RecordStatus(node, "CIDRAssignmentFailed");
  ranges_.Release(cidr);
  co_return client::ReconcileResult::Error(std::move(message));
}

void NodeIpamController::Release(const api::Object& node) {
  for (const Value& cidr : RangesOf(node).items()) ranges_.Release(cidr.AsString());
}

void NodeIpamController::RecordStatus(const api::Object& node, const char* what) {
  const Value reference = value::Obj(
      {{"apiVersion", Value::Of("v1")},
       {"kind", Value::Of("Node")},
       {"metadata",
        value::Obj({{"name", Value::String(node.name())}, {"uid", Value::String(node.uid())}})}});
  recorder_.Event(api::Object::FromTree(reference), "Normal", what,
                  fmt::format("Node {} status is now: {}", node.name(), what));
}

}  // namespace ksim::controllers
