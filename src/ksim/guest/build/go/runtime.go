//go:build wasip1

package runtime

import (
	"internal/runtime/sys"
	"unsafe"
)

// The place where a paused program goes on: the stack pointer of simPause's caller, and its g. Both
// are zero before the first pause. All other state is in memory too, so that a copy of the memory is
// a copy of the program.
var (
	simSP uintptr
	simG  uintptr
)

// simIdle tells the host that no goroutine can run before pollUntil, a time of nanotime; 0 is never.
//
//go:wasmimport ksim idle
func simIdle(pollUntil int64)

// simReseed gives 0, or fills p, which has room for 4 uint64, with the random numbers to go on with
// and gives 1; 3 if goroutines that become runnable shall also run in a drawn order.
//
//go:wasmimport ksim reseed
func simReseed(p unsafe.Pointer) int32

// simSignal gives the number of a signal that has come; 0 if there is none (any more).
//
//go:wasmimport ksim signal
func simSignal() int32

var (
	simSeed [4]uint64
	simMix  bool
)

// simBeforeIdle returns to the host when no goroutine can run, until the host calls _start again.
func simBeforeIdle(pollUntil int64) (*g, bool) {
	if gp := simNoteWoken(); gp != nil {
		return gp, false
	}
	simIdle(pollUntil)
	simPause()
	if how := simReseed(unsafe.Pointer(&simSeed)); how != 0 {
		globalRand.state.Init(*(*[32]byte)(unsafe.Pointer(&simSeed)))
		for mp := allm; mp != nil; mp = mp.alllink {
			mrandinit(mp)
		}
		simMix = how&2 != 0
	}
	for s := simSignal(); s > 0; s = simSignal() {
		if !sigsend(uint32(s)) && !signal_ignored(uint32(s)) {
			exit(128 + s)
		}
	}
	return simNoteWoken(), true
}

// simPause returns to the host's call of _start; the next call goes on behind simPause.
//
//go:noinline
func simPause() {
	simSP = sys.GetCallerSP()
	simG = uintptr(unsafe.Pointer(getg()))
	pause(sys.GetCallerSP() - 8)
}

// simPlace exchanges the goroutine at the end of pp's queue with one that waits there, if the host
// asked for it.
func simPlace(pp *p, head, tail uint32) {
	if !simMix || head == tail {
		return
	}
	n := uint32(len(pp.runq))
	i := (head + cheaprandn(tail-head+1)) % n
	pp.runq[i], pp.runq[tail%n] = pp.runq[tail%n], pp.runq[i]
}

// The goroutine that sleeps on a note without limit. There is one at most: the loop of os/signal,
// which would call sched_yield for ever in a runtime that is not edited.
var (
	simNote  *note
	simNoteG guintptr
)

//go:noinline
func simNoteSleep(n *note, gp *g) {
	for n.key == 0 {
		simNote = n
		simNoteG.set(gp)
		gopark(nil, nil, waitReasonZero, traceBlockGeneric, 1)
	}
}

//go:noinline
func simNoteWoken() *g {
	gp := simNoteG.ptr()
	if gp == nil || simNote.key == 0 {
		return nil
	}
	simNoteG = 0
	return gp
}
