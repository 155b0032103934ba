// Twoleaders runs in several replicas, of which the leader marks its own member, a ConfigMap in the
// namespace default, with the label role=primary, and takes the label off all others.
//
// The mistake: a replica that loses the lease writes a line into its log and goes on, because the work
// runs under the context of the process and not under that of the leadership. The controller manager of
// kthena does so (volcano-sh/kthena#1793). With --fixed the work ends with the leadership. That alone
// leaves a write that is on its way when the lease ends, so a new leader also writes its term to each
// other member before it becomes the primary: a write of its predecessor then meets a newer version.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
)

var (
	fixed = flag.Bool("fixed", false, "End the work with the leadership.")
	name  = flag.String("name", "", "Name of this replica; default the host's name.")
)

type member struct {
	client kubernetes.Interface
	name   string
}

// join makes this replica's member, without a role.
func (m *member) join(ctx context.Context) {
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: m.name, Labels: map[string]string{"app": "member"}}}
	for {
		_, err := m.client.CoreV1().ConfigMaps("default").Create(ctx, object, metav1.CreateOptions{})
		if err == nil || errors.IsAlreadyExists(err) {
			return
		}
		klog.Errorf("cannot join: %v", err)
		time.Sleep(time.Second)
	}
}

// termOf reads the term of the lease, which grows with each leader, and waits until it can.
func (m *member) termOf(ctx context.Context) int {
	for ctx.Err() == nil {
		lease, err := m.client.CoordinationV1().Leases("default").Get(ctx, "twoleaders", metav1.GetOptions{})
		if err == nil && *lease.Spec.HolderIdentity == m.name {
			return int(*lease.Spec.LeaseTransitions) + 1
		}
		klog.Errorf("is the lease mine? %v", err)
		time.Sleep(time.Second)
	}
	return 0
}

// promote makes this replica's member the primary of a term. Without terms (0) it only sees to it that
// no other is.
func (m *member) promote(ctx context.Context, term int) error {
	members := m.client.CoreV1().ConfigMaps("default")
	list, err := members.List(ctx, metav1.ListOptions{LabelSelector: "app=member"})
	if err != nil {
		return err
	}
	var own *corev1.ConfigMap
	for i := range list.Items {
		one := &list.Items[i]
		known, _ := strconv.Atoi(one.Annotations["term"])
		if known > term {
			return fmt.Errorf("%s is of term %d, this is the leader of term %d", one.Name, known, term)
		}
		if one.Name == m.name {
			own = one
			continue
		}
		if one.Labels["role"] == "" && known == term {
			continue
		}
		delete(one.Labels, "role")
		if err := m.update(ctx, one, term); err != nil {
			return err
		}
	}
	if own == nil || own.Labels["role"] == "primary" {
		return nil
	}
	own.Labels["role"] = "primary"
	klog.Infof("%s becomes the primary", m.name)
	return m.update(ctx, own, term)
}

func (m *member) update(ctx context.Context, one *corev1.ConfigMap, term int) error {
	if term > 0 {
		metav1.SetMetaDataAnnotation(&one.ObjectMeta, "term", strconv.Itoa(term))
	}
	_, err := m.client.CoreV1().ConfigMaps("default").Update(ctx, one, metav1.UpdateOptions{})
	return err
}

func main() {
	klog.InitFlags(nil)
	kubeconfig := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "Without it, in-cluster.")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		klog.Fatal(err)
	}
	if *name == "" {
		*name, _ = os.Hostname()
	}
	process := context.Background()
	m := &member{kubernetes.NewForConfigOrDie(config), *name}
	m.join(process)
	work := func(leading context.Context) {
		term := 0
		if *fixed {
			term = m.termOf(leading)
		} else {
			leading = process
		}
		wait.UntilWithContext(leading, func(ctx context.Context) {
			if err := m.promote(ctx, term); err != nil {
				klog.Errorf("cannot become primary: %v", err)
			}
		}, 5*time.Second)
	}
	for {
		leaderelection.RunOrDie(process, leaderelection.LeaderElectionConfig{
			Lock: &resourcelock.LeaseLock{
				LeaseMeta:  metav1.ObjectMeta{Namespace: "default", Name: "twoleaders"},
				Client:     m.client.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: m.name},
			},
			LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: work,
				OnStoppedLeading: func() { klog.Errorf("%s has lost the lease", m.name) },
			},
		})
	}
}
