// RestartBackoff: how long a container that has ended waits before it is started again: the first
// time not at all, then 10 s, doubling to 5 min, counted from its end. A run of more than 10 min
// since the last restart begins anew. It is the kubelet's memory: a restart of the kubelet forgets.
// Pulls of images back off alike, counted from the last that failed (imageBackOff).
//
// Source: pkg/kubelet/kubelet.go newCrashLoopBackOff, kuberuntime_manager.go doBackOff. KUBELET-11.
#pragma once
#include "ksim/client/core/keyed_backoff.h"

namespace ksim::kubelet {

struct RestartBackoff : client::KeyedBackoff {
  RestartBackoff() : KeyedBackoff(Seconds(10), Seconds(300)) {}
};

}  // namespace ksim::kubelet
