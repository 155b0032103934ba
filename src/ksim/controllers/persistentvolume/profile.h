// VolumeProfile: what differs between the volume controllers of Kubernetes 1.25, 1.30 and 1.36. A
// controller reads a switch; only profile.cc knows which version has it.
//
// Sources: pkg/features/kube_features.go for the feature gates, which are named in capitals; else
// the file that is named.
#pragma once
#include "ksim/api/compat.h"

namespace ksim::controllers {

struct VolumeProfile {
  // pv_controller_base.go processNextClaimWorkItem: a sync that failed is tried again by the
  // back-off of its queue; else at the next resync.
  bool binder_retries = false;
  // RetroactiveDefaultStorageClass: a claim without a class gets the default one when there is one.
  bool assigns_default_class = false;
  // HonorPVReclaimPolicy: a volume that was provisioned keeps a finalizer until its storage is
  // gone.
  bool honors_reclaim_policy = false;
  // pv_controller.go deleteVolumeOperation: the plugin is looked for before the volume is read.
  bool finds_deleter_first = false;
  // cmd/kube-controller-manager app/plugins.go: it knows local volumes, and cannot delete them;
  // else it does not know them.
  bool knows_local_volumes = true;
  // VolumeAttributesClass: a claim that is bound tells the class of its volume.
  bool volume_attributes_class = false;
};

const VolumeProfile& VolumeProfileOf(api::Compat compat);

}  // namespace ksim::controllers
