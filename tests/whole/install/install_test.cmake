# Installs the build into an empty prefix, builds PROGRAM against that alone, and runs both.
file(REMOVE_RECURSE ${WORK})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with ${code}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${PROGRAM} -B ${WORK}/program -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix
  -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}" -DKSIM_WANTED=${VERSION})
run(${CMAKE_COMMAND} --build ${WORK}/program)
run(${WORK}/program/program)
if(NOT output STREQUAL "awake at +5.000s\n")
  message(FATAL_ERROR "the out-of-tree program said: ${output}")
endif()
run(${WORK}/prefix/bin/ksim version)
if(NOT output MATCHES "${VERSION}")
  message(FATAL_ERROR "the installed ksim says it is: ${output}")
endif()

# The files of a new controller build against it, and their tests pass.
set(widget ${WORK}/widget)
run(${WORK}/prefix/bin/ksim new controller widget-controller --dir ${widget} --group corp.example)
run(${CMAKE_COMMAND} -S ${widget} -B ${widget}/build -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix
  -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}")
run(${CMAKE_COMMAND} --build ${widget}/build)
run(${CMAKE_CTEST_COMMAND} --test-dir ${widget}/build --output-on-failure)
run(${widget}/build/widget-controller help)
if(NOT output MATCHES "widgets.corp.example")
  message(FATAL_ERROR "the new controller's program does not know its kind: ${output}")
endif()
