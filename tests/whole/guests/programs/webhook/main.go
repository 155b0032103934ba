// Webhook serves admission webhooks with Go's standard library alone, over TLS as upstream wants it: /mutate gives a
// ConfigMap the label checked, /validate refuses one whose data say that it is bad, and /sleep answers after a minute.
// With the argument die it ends when it is asked.
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"os"
	"time"
)

type review struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Request    *request  `json:"request,omitempty"`
	Response   *response `json:"response,omitempty"`
}

type request struct {
	UID    string `json:"uid"`
	Object struct {
		Metadata struct {
			Name   string            `json:"name"`
			Labels map[string]string `json:"labels"`
		} `json:"metadata"`
		Data map[string]string `json:"data"`
	} `json:"object"`
}

type response struct {
	UID       string  `json:"uid"`
	Allowed   bool    `json:"allowed"`
	PatchType string  `json:"patchType,omitempty"`
	Patch     []byte  `json:"patch,omitempty"`
	Status    *status `json:"status,omitempty"`
}

type status struct {
	Message string `json:"message"`
}

func serve(judge func(*request, *response)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in review
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Request == nil {
			http.Error(w, "no review", http.StatusBadRequest)
			return
		}
		if len(os.Args) > 1 && os.Args[1] == "die" {
			log.Fatal("asked to die")
		}
		out := review{APIVersion: in.APIVersion, Kind: in.Kind, Response: &response{UID: in.Request.UID, Allowed: true}}
		judge(in.Request, out.Response)
		log.Printf("%s %s: allowed %v", r.URL.Path, in.Request.Object.Metadata.Name, out.Response.Allowed)
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(out)
	}
}

func main() {
	http.Handle("/mutate", serve(func(in *request, out *response) {
		patch := `[{"op":"add","path":"/metadata/labels/checked","value":"yes"}]`
		if in.Object.Metadata.Labels == nil {
			patch = `[{"op":"add","path":"/metadata/labels","value":{"checked":"yes"}}]`
		}
		out.PatchType, out.Patch = "JSONPatch", []byte(patch)
	}))
	http.Handle("/validate", serve(func(in *request, out *response) {
		if in.Object.Data["is"] == "bad" {
			out.Allowed, out.Status = false, &status{"it is bad"}
		}
	}))
	http.Handle("/sleep", serve(func(*request, *response) { time.Sleep(time.Minute) }))
	certificates := "/tmp/k8s-webhook-server/serving-certs/"
	log.Fatal(http.ListenAndServeTLS(":9443", certificates+"tls.crt", certificates+"tls.key", nil))
}
