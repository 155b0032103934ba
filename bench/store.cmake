ksim_bench(store_bench SRCS store_bench.cc store_memory_bench.cc store_watch_bench.cc DEPS store)
