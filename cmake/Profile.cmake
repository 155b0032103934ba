# -DKSIM_PROFILE=generate builds programs that note which branches they take; =use, then, in the
# same directory, compiles again with what they noted. tools/pgo does the two. Of clang only: what
# it makes of a profile is a tenth faster than what g++ 12 does.
if(KSIM_PROFILE)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "KSIM_PROFILE takes clang, not ${CMAKE_CXX_COMPILER_ID}")
  endif()
  set(KSIM_NOTES ${PROJECT_BINARY_DIR}/notes)  # *.profraw of each run, and ksim.profdata of all
  if(KSIM_PROFILE STREQUAL "generate")
    add_compile_options(-fprofile-generate=${KSIM_NOTES})
    add_link_options(-fprofile-generate)
  elseif(KSIM_PROFILE STREQUAL "use")
    # Code that the training did not reach is compiled as ever, and so is code that changed since.
    # llvm-bolt needs the relocations.
    add_compile_options(-fprofile-use=${KSIM_NOTES}/ksim.profdata -Wno-profile-instr-unprofiled
      -Wno-profile-instr-out-of-date -Wno-backend-plugin)
    add_link_options(-Wl,--emit-relocs)
  else()
    message(FATAL_ERROR "KSIM_PROFILE is generate or use, not ${KSIM_PROFILE}")
  endif()
endif()
