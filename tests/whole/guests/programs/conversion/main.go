// Conversion serves a conversion webhook with Go's standard library alone: toys have their size at spec.size in v1 and
// at spec.measure.size in v2. With the argument lose it answers with one object less than it was asked for.
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"
)

type object = map[string]any

type review struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Request    *request  `json:"request,omitempty"`
	Response   *response `json:"response,omitempty"`
}

type request struct {
	UID               string   `json:"uid"`
	DesiredAPIVersion string   `json:"desiredAPIVersion"`
	Objects           []object `json:"objects"`
}

type response struct {
	UID              string   `json:"uid"`
	ConvertedObjects []object `json:"convertedObjects"`
	Result           object   `json:"result"`
}

func convert(toy object, desired string) object {
	spec, _ := toy["spec"].(object)
	if strings.HasSuffix(desired, "/v2") {
		toy["spec"] = object{"measure": object{"size": spec["size"]}}
	} else {
		measure, _ := spec["measure"].(object)
		toy["spec"] = object{"size": measure["size"]}
	}
	toy["apiVersion"] = desired
	return toy
}

func main() {
	http.HandleFunc("/convert", func(w http.ResponseWriter, r *http.Request) {
		var in review
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Request == nil {
			http.Error(w, "no review", http.StatusBadRequest)
			return
		}
		out := response{UID: in.Request.UID, Result: object{"status": "Success"}}
		for _, toy := range in.Request.Objects {
			log.Printf("%v to %s", toy["metadata"].(object)["name"], in.Request.DesiredAPIVersion)
			if len(os.Args) > 1 && os.Args[1] == "lose" {
				continue
			}
			out.ConvertedObjects = append(out.ConvertedObjects, convert(toy, in.Request.DesiredAPIVersion))
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(review{APIVersion: in.APIVersion, Kind: in.Kind, Response: &out})
	})
	certificates := "/tmp/k8s-webhook-server/serving-certs/"
	log.Fatal(http.ListenAndServeTLS(":9443", certificates+"tls.crt", certificates+"tls.key", nil))
}
