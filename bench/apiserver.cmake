ksim_bench(apiserver_bench SRCS apiserver_bench.cc DEPS apiserver)
