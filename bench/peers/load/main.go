// Load asks an API server as many clients do, for bench/peers/serve.py.
//
//	load gets URL TOKEN CONNECTIONS SECONDS          one object, again and again
//	load watches URL TOKEN WATCHES SECONDS WRITES    WRITES updates a second, told to each watch
//
// It prints one line of JSON. The certificate of the server is not verified: it is on the loopback.
package main

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	maps    = "/api/v1/namespaces/default/configmaps"
	writers = 10
)

type server struct {
	url, token string
	client     *http.Client
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	must(err)
	return n
}

func (s *server) ask(method, path, contentType, body string) []byte {
	request, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	must(err)
	request.Header.Set("Content-Type", contentType)
	if s.token != "" {
		request.Header.Set("Authorization", "Bearer "+s.token)
	}
	response, err := s.client.Do(request)
	must(err)
	answer, err := io.ReadAll(response.Body)
	must(err)
	response.Body.Close()
	if response.StatusCode >= 300 && response.StatusCode != http.StatusConflict {
		must(fmt.Errorf("%s %s: %s", method, path, answer))
	}
	return answer
}

func (s *server) create(name string) {
	s.ask("POST", maps, "application/json",
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"`+name+`"},"data":{"x":"0"}}`)
}

func (s *server) gets(connections int, span time.Duration) {
	s.create("get")
	var done sync.WaitGroup
	var count atomic.Int64
	begun := time.Now()
	for i := 0; i < connections; i++ {
		done.Add(1)
		go func() {
			defer done.Done()
			for time.Since(begun) < span {
				s.ask("GET", maps+"/get", "", "")
				count.Add(1)
			}
		}()
	}
	done.Wait()
	fmt.Printf(`{"gets": %d, "seconds": %.3f}`+"\n", count.Load(), time.Since(begun).Seconds())
}

// Opens one watch, over a connection of its own, and counts the changes that it is told.
func (s *server) watch(version string, told, size *atomic.Int64) {
	address, err := url.Parse(s.url)
	must(err)
	connection, err := net.Dial("tcp", address.Host)
	must(err)
	if address.Scheme == "https" {
		connection = tls.Client(connection, &tls.Config{InsecureSkipVerify: true})
	}
	_, err = fmt.Fprintf(connection, "GET %s?watch=1&resourceVersion=%s HTTP/1.1\r\n"+
		"Host: localhost\r\nUser-Agent: load\r\nAuthorization: Bearer %s\r\n\r\n",
		maps, version, s.token)
	must(err)
	go func() {
		buffer := make([]byte, 64<<10)
		for {
			n, err := connection.Read(buffer)
			must(err)
			size.Add(int64(n))
			told.Add(int64(bytes.Count(buffer[:n], []byte(`"MODIFIED"`))))
		}
	}()
}

func (s *server) watches(count int, span time.Duration, writes int) {
	for i := 0; i < writers; i++ {
		s.create(fmt.Sprint("watched-", i))
	}
	var list struct {
		Metadata struct{ ResourceVersion string }
	}
	must(json.Unmarshal(s.ask("GET", maps+"?limit=1", "", ""), &list))
	var told, size, written, slowest atomic.Int64
	for i := 0; i < count; i++ {
		s.watch(list.Metadata.ResourceVersion, &told, &size)
	}
	time.Sleep(time.Second)
	var done sync.WaitGroup
	begun := time.Now()
	for i := 0; i < writers; i++ {
		done.Add(1)
		go func() {
			defer done.Done()
			for n := 1; time.Since(begun) < span; n++ {
				before := time.Now()
				s.ask("PATCH", fmt.Sprint(maps, "/watched-", i), "application/merge-patch+json",
					fmt.Sprintf(`{"data":{"x":"%d"}}`, n))
				if took := int64(time.Since(before)); took > slowest.Load() {
					slowest.Store(took)
				}
				written.Add(1)
				time.Sleep(time.Until(begun.Add(time.Second * time.Duration(n*writers) /
					time.Duration(writes))))
			}
		}()
	}
	done.Wait()
	seconds := time.Since(begun).Seconds()
	time.Sleep(time.Second) // what is still on its way
	fmt.Printf(`{"writes": %d, "told": %d, "bytes": %d, "slowestWrite": %.3f, "seconds": %.3f}`+"\n",
		written.Load(), told.Load(), size.Load(), time.Duration(slowest.Load()).Seconds(), seconds)
}

func main() {
	if len(os.Args) < 6 {
		must(fmt.Errorf("gets URL TOKEN CONNECTIONS SECONDS, or " +
			"watches URL TOKEN WATCHES SECONDS WRITES"))
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		MaxIdleConnsPerHost: 1000}
	s := &server{os.Args[2], os.Args[3], &http.Client{Transport: transport}}
	span := time.Duration(number(os.Args[5])) * time.Second
	if os.Args[1] == "gets" {
		s.gets(number(os.Args[4]), span)
	} else {
		s.watches(number(os.Args[4]), span, number(os.Args[6]))
	}
}
