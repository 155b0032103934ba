// Order is a controller that is right as long as its goroutines run in the order in which it starts
// them: of each ConfigMap of the namespace default that has a color, one goroutine keeps the color and
// the next labels the ConfigMap with what was kept. It is of Go's standard library alone.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"sync"
	"time"
)

type configMap struct {
	Metadata struct {
		Name, ResourceVersion string
		Labels                map[string]string
	}
	Data map[string]string
}

const path = "http://kubernetes.default.svc:8080/api/v1/namespaces/default/configmaps"

func call(method, url, contentType string, body []byte) (*http.Response, error) {
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", contentType)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		response.Body.Close()
		return nil, fmt.Errorf("%s %s: %s: %s", method, url, response.Status, text)
	}
	return response, nil
}

var (
	mutex  sync.Mutex
	colors = map[string]string{}
)

func keep(one configMap) {
	mutex.Lock()
	defer mutex.Unlock()
	colors[one.Metadata.Name] = one.Data["color"]
}

// label takes it for granted that keep has run.
func label(one configMap) {
	mutex.Lock()
	color, found := colors[one.Metadata.Name]
	mutex.Unlock()
	if !found {
		color = "unknown"
	}
	if one.Metadata.Labels["color"] == color {
		return
	}
	log.Printf("%s is %s", one.Metadata.Name, color)
	patch := fmt.Sprintf(`{"metadata":{"labels":{"color":%q}}}`, color)
	response, err := call("PATCH", path+"/"+one.Metadata.Name, "application/merge-patch+json", []byte(patch))
	if err != nil {
		log.Print(err)
		return
	}
	response.Body.Close()
}

func hear(one configMap) {
	if one.Data["color"] == "" {
		return
	}
	go keep(one)
	go label(one)
}

// follow lists and then watches until the watch ends or something fails.
func follow() error {
	response, err := call("GET", path, "", nil)
	if err != nil {
		return err
	}
	var list struct {
		Metadata struct{ ResourceVersion string }
		Items    []configMap
	}
	err = json.NewDecoder(response.Body).Decode(&list)
	response.Body.Close()
	if err != nil {
		return err
	}
	for _, one := range list.Items {
		hear(one)
	}
	response, err = call("GET", path+"?watch=1&resourceVersion="+list.Metadata.ResourceVersion, "", nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	for decoder := json.NewDecoder(response.Body); ; {
		var event struct {
			Type   string
			Object configMap
		}
		if err := decoder.Decode(&event); err != nil {
			return err
		}
		if event.Type == "ERROR" {
			return fmt.Errorf("the watch from %s is over", list.Metadata.ResourceVersion)
		}
		if event.Type != "DELETED" {
			hear(event.Object)
		}
	}
}

func main() {
	for {
		log.Print(follow())
		time.Sleep(time.Second)
	}
}
