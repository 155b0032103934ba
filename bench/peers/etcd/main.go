// The rows of bench/store_*_bench.cc on etcd 3.4's mvcc package, in this process: same keys, values
// and numbers of operations. A line a row: name, operations, nanoseconds an operation: the less of
// wall-clock and CPU time. On a busy machine the one has the time of others in it, the other that of
// all of etcd's threads at once; so etcd is never charged with more than it needs.
// The database goes to $TMPDIR; on a tmpfs no disk is measured.
package main

import (
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"go.etcd.io/etcd/lease"
	"go.etcd.io/etcd/mvcc"
	"go.etcd.io/etcd/mvcc/backend"
	"go.etcd.io/etcd/pkg/traceutil"
	"go.uber.org/zap"
)

const pods = 10000

var (
	value  = make([]byte, 1024)
	first  = []byte("/registry/pods/")
	end    = []byte("/registry/pods0")
	podKey = func() [][]byte {
		keys := make([][]byte, 100000)
		for i := range keys {
			keys[i] = []byte(fmt.Sprintf("/registry/pods/default/pod-%06d", i))
		}
		return keys
	}()
)

type store struct {
	mvcc.ConsistentWatchableKV
	backend backend.Backend
	path    string
}

func open() *store {
	b, path := backend.NewDefaultTmpBackend()
	kv := mvcc.New(zap.NewNop(), b, &lease.FakeLessor{}, nil, nil, mvcc.StoreConfig{})
	return &store{kv, b, path}
}

func (s *store) close() {
	s.Close()
	s.backend.Close()
	os.Remove(s.path)
}

func (s *store) put(i int) { s.Put(podKey[i], value, lease.NoLease) }

func (s *store) fill(n int) {
	for i := 0; i < n; i++ {
		s.put(i)
	}
}

func (s *store) list(o mvcc.RangeOptions) { s.Range(first, end, o) }

func cpuTime() time.Duration {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// Runs f, which is n operations.
func row(name string, n int, f func()) {
	runtime.GC()
	begun, before := time.Now(), cpuTime()
	f()
	wall, cpu := time.Since(begun), cpuTime()-before
	if cpu < wall {
		wall = cpu
	}
	fmt.Printf("%s %d %.1f\n", name, n, float64(wall.Nanoseconds())/float64(n))
}

func repeat(name string, n int, f func(i int)) {
	row(name, n, func() {
		for i := 0; i < n; i++ {
			f(i)
		}
	})
}

func writes() {
	s := open()
	repeat("put_new", 100000, s.put)
	repeat("delete_one", 50000, func(i int) { s.DeleteRange(podKey[i], nil) })
	s.close()
}

func guardedUpdate(s *store, key []byte) {
	read, _ := s.Range(key, nil, mvcc.RangeOptions{})
	txn := s.Write(traceutil.TODO())
	now, _ := txn.Range(key, nil, mvcc.RangeOptions{})
	if now.KVs[0].ModRevision == read.KVs[0].ModRevision {
		txn.Put(key, value, lease.NoLease)
	}
	txn.End()
}

func updatesAndReads() {
	s := open()
	s.fill(pods)
	repeat("put_update", 100000, func(i int) { s.put(i % pods) })
	repeat("guarded_update", 50000, func(i int) { guardedUpdate(s, podKey[i%pods]) })
	s.backend.ForceCommit()
	random := func() []byte { return podKey[rand.Intn(pods)] }
	past := s.Rev() - 20000
	repeat("get", 50000, func(int) { s.Range(random(), nil, mvcc.RangeOptions{}) })
	repeat("get_past", 50000, func(int) { s.Range(random(), nil, mvcc.RangeOptions{Rev: past}) })
	repeat("list_all_10k", 50, func(int) { s.list(mvcc.RangeOptions{}) })
	repeat("list_past_10k", 50, func(int) { s.list(mvcc.RangeOptions{Rev: s.Rev() - 5000}) })
	repeat("list_page_500", 200, func(int) { s.list(mvcc.RangeOptions{Limit: 501}) })
	repeat("count_10k", 200, func(int) { s.list(mvcc.RangeOptions{Count: true}) })
	row("compact", int(s.Rev()), func() { // with etcd's own pauses of 10 ms every 1000 revisions
		done, _ := s.Compact(traceutil.TODO(), s.Rev())
		<-done
	})
	s.close()
}

// The writer waits for all watches every 64 puts, so that they stay synced.
func fanout(watches, puts int) {
	const batch = 64
	s := open()
	s.fill(pods)
	var round, all sync.WaitGroup
	for i := 0; i < watches; i++ {
		w := s.NewWatchStream()
		w.Watch(0, first, end, 0)
		all.Add(1)
		go func() {
			for got := 0; got < puts; {
				for n := len((<-w.Chan()).Events); n > 0; n-- {
					if got++; got%batch == 0 {
						round.Done()
					}
				}
			}
			all.Done()
		}()
	}
	row(fmt.Sprintf("fanout_%d", watches), watches*puts, func() {
		for i := 0; i < puts; i++ {
			if i%batch == 0 {
				round.Add(watches)
			}
			s.put(i % pods)
			if i%batch == batch-1 {
				round.Wait()
			}
		}
		all.Wait()
	})
	s.close()
}

func fanoutSelective() {
	const batch, puts = 64, 50000 / 64 * 64
	s := open()
	w := s.NewWatchStream()
	for i := 0; i < pods; i++ {
		w.Watch(0, podKey[i], nil, 0)
	}
	read := make(chan struct{})
	go func() {
		for got := 0; got < puts; {
			for n := len((<-w.Chan()).Events); n > 0; n-- {
				if got++; got%batch == 0 {
					read <- struct{}{}
				}
			}
		}
	}()
	repeat("fanout_selective", puts, func(i int) {
		s.put(i % pods)
		if i%batch == batch-1 {
			<-read
		}
	})
	s.close()
}

func catchup(n int) {
	s := open()
	for i := 0; i < n; i++ {
		s.put(i % 1000)
	}
	row(fmt.Sprintf("catchup_%d", n), n, func() {
		w := s.NewWatchStream()
		w.Watch(0, first, end, 2)
		for got := 0; got < n; {
			got += len((<-w.Chan()).Events)
		}
		w.Close()
	})
	s.close()
}

// As BenchmarkKVWatcherMemoryUsage and BenchmarkWatchableStoreSyncedCancel of the package.
func createAndCancel() {
	s := open()
	w := s.NewWatchStream()
	repeat("watch_create", 200000, func(i int) { w.Watch(0, []byte(fmt.Sprint("foo", i)), nil, 0) })
	w.Close()
	const watches = 1000000
	w = s.NewWatchStream()
	ids := make([]mvcc.WatchID, watches)
	for i := range ids {
		ids[i], _ = w.Watch(0, []byte("testkey"), nil, 0)
	}
	order := rand.Perm(watches)
	repeat("watch_cancel_synced", watches, func(i int) { w.Cancel(ids[order[i]]) })
	w.Close()
	s.close()
}

func heapBytes() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// Bytes of heap a key; the values are in the database file.
func memory() {
	before := heapBytes()
	s := open()
	s.fill(100000)
	s.backend.ForceCommit()
	fmt.Printf("memory_100k 100000 %.1f\n", (heapBytes()-before)/100000)
	s.close()
}

func main() {
	rand.Seed(1)
	writes()
	updatesAndReads()
	fanout(1, 19968)
	fanout(10, 19968)
	fanout(100, 6400)
	fanout(1000, 640)
	fanoutSelective()
	createAndCancel()
	catchup(10000)
	memory()
}
