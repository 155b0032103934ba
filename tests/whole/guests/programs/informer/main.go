// Informer labels each ConfigMap of the namespace default with what its data say: an informer, a work
// queue and a PATCH, as client-go's own example of a controller has them. It is built with the oldest
// and the newest client-go that guests are tested with: go.mod and oldest.mod.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

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
	factory := informers.NewSharedInformerFactoryWithOptions(client, 10*time.Minute,
		informers.WithNamespace("default"))
	maps := factory.Core().V1().ConfigMaps()
	//nolint:staticcheck // the typed queues came with client-go 0.31
	queue := workqueue.NewRateLimitingQueue(workqueue.DefaultControllerRateLimiter())
	enqueue := func(obj any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
			queue.Add(key)
		}
	}
	_, err = maps.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    enqueue,
		UpdateFunc: func(_, after any) { enqueue(after) },
		DeleteFunc: enqueue,
	})
	if err != nil {
		klog.Fatal(err)
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), maps.Informer().HasSynced) {
		klog.Fatal("the cache has not synced")
	}
	klog.Info("synced")
	for {
		key, shutdown := queue.Get()
		if shutdown {
			return
		}
		namespace, name, _ := cache.SplitMetaNamespaceKey(key.(string))
		one, err := maps.Lister().ConfigMaps(namespace).Get(name)
		if err == nil {
			err = label(ctx, client, one)
		}
		if err != nil && !errors.IsNotFound(err) {
			klog.Errorf("%s: %v", key, err)
			queue.AddRateLimited(key)
		} else {
			queue.Forget(key)
		}
		queue.Done(key)
	}
}

func label(ctx context.Context, client kubernetes.Interface, one *corev1.ConfigMap) error {
	color := one.Data["color"]
	if color == "" || one.Labels["color"] == color {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"labels": map[string]string{"color": color}}})
	if err != nil {
		return err
	}
	klog.Infof("%s/%s is %s", one.Namespace, one.Name, color)
	_, err = client.CoreV1().ConfigMaps(one.Namespace).Patch(
		ctx, one.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}
