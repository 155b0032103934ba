ksim_bench(store_bench SRCS store_bench.cc DEPS store)
