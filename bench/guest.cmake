ksim_bench(guest_bench SRCS guest_bench.cc DEPS guest)
