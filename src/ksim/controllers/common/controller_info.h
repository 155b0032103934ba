// ControllerInfo: one row of the register of controllers (controllers/registry.h): what the rest of
// ksim needs to know of a controller. Schema, `ksim explain`, cluster assembly and oracles read it.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/controller.h"

namespace ksim::controllers {

struct ControllerInfo {
  std::string_view name;           // as scenarios name it: replicaset
  std::string_view text;           // one line, for `ksim explain controllers`
  std::string_view upstream = {};  // as kube-controller-manager names it; "" of a sample
  std::string_view called = {};    // garbage collector; "" = its name and "controller"
  // Null: the controller is known, and not in this version of ksim.
  std::unique_ptr<Controller> (*make)(ControllerContext context) = nullptr;
  // The switch that says whether a version of Kubernetes has it; null: every version does.
  bool Profile::* in_profile = nullptr;
  std::string_view part_of = {};  // the controller that does its work in versions without it
  bool cloud = false;             // it speaks to a cloud provider, which ksim will not have
  bool by_name_only = false;      // "*" does not mean it (upstream's ControllersDisabledByDefault)
  // The finalizers that it removes from objects once it has done its work.
  std::vector<std::string_view> finalizers = {};

  // --- what oracles and cluster assembly need to know ---
  // The part of its process under which it acts (PROCESS/PART); "" = its name. A sample that takes
  // the place of a built-in controller has that one's part, and is judged as that one.
  std::string_view part = {};
  std::string_view second_part = {};  // another part that it may act under; "" = none
  std::string_view workload = {};     // the resource whose pods it keeps and counts; "" = none
  bool expects_pods = false;          // it waits for pods that it has created (Expectations)
  std::vector<std::string_view> variants = {};  // those of cluster.variants that change it

  // --- samples ---
  std::string_view twin = {};  // the sample that does right what this one does wrong; "" = none

  // A sample runs only where it is named; "*" does not mean it.
  bool is_sample() const { return upstream.empty(); }
  bool IsIn(const Profile& profile) const { return in_profile == nullptr || profile.*in_profile; }
  std::string_view PartName() const { return part.empty() ? name : part; }
  // "garbage collector", "job controller": in the middle of a sentence.
  std::string Title() const {
    return called.empty() ? std::string(name) + " controller" : std::string(called);
  }
};
using ControllerRows = std::vector<ControllerInfo>;

// Makes a controller of class C; a row's `make`.
template <class C>
std::unique_ptr<Controller> MakeController(ControllerContext context) {
  return std::make_unique<C>(std::move(context));
}

}  // namespace ksim::controllers
