ksim_bench(client_bench SRCS client_bench.cc DEPS client)
ksim_fast_allocator(client_bench)
ksim_bench(client_memory_bench SRCS client_memory_bench.cc DEPS client)
