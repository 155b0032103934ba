// Plain is a controller of Go's standard library alone, so that it is built in seconds: it lists the
// ConfigMaps of the namespace default, watches them from there, and labels each with the color that its
// data give. It finds the API server by the name that a pod would use. $RETRY is how long it waits when
// something has failed, and before the time $NOT_BEFORE it exits.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"os"
	"time"
)

type configMap struct {
	Metadata struct {
		Name, ResourceVersion string
		Labels                map[string]string
	}
	Data map[string]string
}

var server = "http://kubernetes.default.svc:8080"

const path = "/api/v1/namespaces/default/configmaps"

func call(method, path, contentType string, body []byte) (*http.Response, error) {
	request, err := http.NewRequest(method, server+path, bytes.NewReader(body))
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
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, response.Status, text)
	}
	return response, nil
}

func label(one configMap) error {
	color := one.Data["color"]
	if color == "" || one.Metadata.Labels["color"] == color {
		return nil
	}
	log.Printf("%s is %s", one.Metadata.Name, color)
	patch := fmt.Sprintf(`{"metadata":{"labels":{"color":%q}}}`, color)
	response, err := call("PATCH", path+"/"+one.Metadata.Name, "application/merge-patch+json", []byte(patch))
	if err == nil {
		response.Body.Close()
	}
	return err
}

var errExpired = errors.New("the version is too old")

// watch follows what happens after a version until the watch ends or something fails. It returns the
// version to go on from.
func watch(version string) (string, error) {
	response, err := call("GET", path+"?watch=1&resourceVersion="+version, "", nil)
	if err != nil {
		return version, err
	}
	defer response.Body.Close()
	for decoder := json.NewDecoder(response.Body); ; {
		var event struct {
			Type   string
			Object configMap
		}
		if err := decoder.Decode(&event); err != nil {
			return version, err
		}
		if event.Type == "ERROR" {
			return version, errExpired
		}
		if event.Type != "DELETED" {
			if err := label(event.Object); err != nil {
				return version, err
			}
		}
		version = event.Object.Metadata.ResourceVersion
	}
}

// follow lists and then watches until the server has forgotten the version to go on from.
func follow(wait func()) error {
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
	for _, one := range list.Items {
		if err == nil {
			err = label(one)
		}
	}
	if err != nil {
		return err
	}
	for version := list.Metadata.ResourceVersion; ; wait() {
		if version, err = watch(version); err == errExpired {
			return err
		}
		log.Print(err)
	}
}

func main() {
	if other := os.Getenv("SERVER"); other != "" {
		server = other
	}
	if at, err := time.Parse(time.RFC3339, os.Getenv("NOT_BEFORE")); err == nil && time.Now().Before(at) {
		log.Fatalf("it is not %s yet", at)
	}
	retry, err := time.ParseDuration(os.Getenv("RETRY"))
	if err != nil {
		retry = time.Second
	}
	wait := func() { time.Sleep(retry + rand.N(time.Second)) }
	for {
		log.Print(follow(wait))
		wait()
	}
}
