ksim_bench(client_bench SRCS client_bench.cc DEPS client)
