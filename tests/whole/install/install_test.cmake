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
