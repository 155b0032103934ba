package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// cacheWrite gives each claim (a ConfigMap with the label app=claim) the label `tier` that the ConfigMap
// policy says.
//
// The mistake: its list spares the copies (UnsafeDisableDeepCopy), so that the labels of what it gets are
// the maps of the cache, and it writes into them. If the update fails, the cache says that it is done,
// and the next try has nothing to do. A lister of client-go gives such pointers, too. Volcano, KubeStellar
// and OpenKruise did so (volcano-sh/volcano#5683, kubestellar/kubestellar#3811, openkruise/agents#386).
// With --right it makes a copy of what it changes.
type cacheWrite struct{ client.Client }

func setUpCacheWrite(manager ctrl.Manager) error {
	return forConfigMaps(manager).Complete(&cacheWrite{manager.GetClient()})
}

func (r *cacheWrite) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var policy corev1.ConfigMap
	name := types.NamespacedName{Namespace: req.Namespace, Name: "policy"}
	if err := r.Get(ctx, name, &policy); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var claims corev1.ConfigMapList
	err := r.List(ctx, &claims, client.InNamespace(req.Namespace), client.MatchingLabels{"app": "claim"},
		client.UnsafeDisableDeepCopy)
	if err != nil {
		return ctrl.Result{}, err
	}
	tier := policy.Data["tier"]
	for i := range claims.Items {
		claim := &claims.Items[i]
		if claim.Labels["tier"] == tier {
			continue
		}
		if *right {
			claim = claim.DeepCopy()
		}
		claim.Labels["tier"] = tier
		log.FromContext(ctx).Info("labelling", "claim", claim.Name, "tier", tier)
		if err := r.Update(ctx, claim); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, nil
}
