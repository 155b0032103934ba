// Tombstone publishes each Service in the namespace dns: a ConfigMap NAMESPACE.NAME with the Service's
// address. An owner reference cannot cross namespaces, so it deletes the ConfigMap itself.
//
// The mistake: its delete handler expects a *Service. When the Service was deleted while no watch was
// open, the informer learns of it from its next list and hands over a cache.DeletedFinalStateUnknown,
// the tombstone, which the handler drops. Calico's controllers did so in three places
// (projectcalico/calico#12793). With --fixed the key is taken from either.
package main

import (
	"context"
	"flag"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

var fixed = flag.Bool("fixed", false, "Take the key of a tombstone, too.")

type controller struct {
	client   kubernetes.Interface
	services listers.ServiceLister
	queue    workqueue.TypedRateLimitingInterface[string]
}

func (c *controller) serviceChanged(obj any) {
	service, ok := obj.(*corev1.Service)
	if !ok {
		klog.Errorf("expected a Service, got %T", obj)
		return
	}
	c.queue.Add(service.Namespace + "/" + service.Name)
}

func (c *controller) serviceDeleted(obj any) {
	if !*fixed {
		c.serviceChanged(obj)
		return
	}
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
		c.queue.Add(key)
	}
}

// recordSeen looks at the Service of a record that is there, so that what was deleted while the
// controller was down is noticed when it starts. Not each ConfigMap of the namespace is a record:
// kube-root-ca.crt is the manager's.
func (c *controller) recordSeen(obj any) {
	record, ok := obj.(*corev1.ConfigMap)
	if ok && record.Namespace == "dns" && record.Labels["record"] == "true" {
		if namespace, name, ok := strings.Cut(record.Name, "."); ok {
			c.queue.Add(namespace + "/" + name)
		}
	}
}

func (c *controller) sync(ctx context.Context, key string) error {
	namespace, name, _ := cache.SplitMetaNamespaceKey(key)
	records := c.client.CoreV1().ConfigMaps("dns")
	service, err := c.services.Services(namespace).Get(name)
	if errors.IsNotFound(err) {
		klog.Infof("%s is gone: deleting its record", key)
		err = records.Delete(ctx, namespace+"."+name, metav1.DeleteOptions{})
		if errors.IsNotFound(err) {
			return nil
		}
		return err
	}
	record := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: namespace + "." + name, Labels: map[string]string{"record": "true"}},
		Data:       map[string]string{"address": service.Spec.ClusterIP},
	}
	klog.Infof("publishing %s", key)
	if _, err = records.Create(ctx, record, metav1.CreateOptions{}); errors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func (c *controller) work(ctx context.Context) {
	for {
		key, shutdown := c.queue.Get()
		if shutdown {
			return
		}
		if err := c.sync(ctx, key); err != nil {
			klog.Errorf("%s: %v", key, err)
			c.queue.AddRateLimited(key)
		} else {
			c.queue.Forget(key)
		}
		c.queue.Done(key)
	}
}

func main() {
	klog.InitFlags(nil)
	kubeconfig := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "Without it, in-cluster.")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		klog.Fatal(err)
	}
	ctx := context.Background()
	client := kubernetes.NewForConfigOrDie(config)
	factory := informers.NewSharedInformerFactory(client, 10*time.Hour)
	services, records := factory.Core().V1().Services(), factory.Core().V1().ConfigMaps()
	c := &controller{client, services.Lister(), workqueue.NewTypedRateLimitingQueue(
		workqueue.DefaultTypedControllerRateLimiter[string]())}
	services.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    c.serviceChanged,
		UpdateFunc: func(_, after any) { c.serviceChanged(after) },
		DeleteFunc: c.serviceDeleted,
	})
	records.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: c.recordSeen})
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	c.work(ctx)
}
