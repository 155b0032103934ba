# -DKSIM_PROFILE=generate builds programs that note which branches they take; =use, then, in the
# same directory, compiles again with what they noted. tools/pgo does the two. Of g++ only.
if(KSIM_PROFILE)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    message(FATAL_ERROR "KSIM_PROFILE takes g++, not ${CMAKE_CXX_COMPILER_ID}")
  endif()
  if(KSIM_PROFILE STREQUAL "generate")
    add_compile_options(-fprofile-generate -fprofile-update=single)
    add_link_options(-fprofile-generate)
  elseif(KSIM_PROFILE STREQUAL "use")
    # What the training did not reach is compiled as ever, and so is what changed since. llvm-bolt
    # wants to know what refers to what, and to split functions itself.
    add_compile_options(-fprofile-use -fprofile-partial-training -Wno-missing-profile
      -Wno-coverage-mismatch -fno-reorder-blocks-and-partition)
    add_link_options(-Wl,--emit-relocs)
  else()
    message(FATAL_ERROR "KSIM_PROFILE is generate or use, not ${KSIM_PROFILE}")
  endif()
endif()
