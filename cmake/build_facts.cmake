# Writes OUT, a header with VERSION, COMPILER, FLAGS, the commit of SOURCE, and what the sources have
# changed since: the SHA1 of the difference, and itself where it is no longer than a literal may be.
set(DIFF "")
set(DIFF_SHA1 "")
set(END "")
execute_process(COMMAND git -C ${SOURCE} rev-parse HEAD
  OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(COMMIT unknown)  # built from an archive
else()
  execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no
    OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    string(APPEND COMMIT "-dirty")
    execute_process(COMMAND git -C ${SOURCE} diff --no-ext-diff --no-color HEAD -- lib kernels apps cmake CMakeLists.txt
      OUTPUT_VARIABLE DIFF ERROR_QUIET)
    string(LENGTH "${DIFF}" length)
    if(length GREATER 0)
      string(SHA1 DIFF_SHA1 "${DIFF}")
      string(SUBSTRING "${DIFF_SHA1}" 0 12 END)  # ends the literal: no text holds its own hash
    endif()
    if(length GREATER 60000)
      set(DIFF "")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT [[#pragma once
#define RTSIM_VERSION "@VERSION@"
#define RTSIM_COMMIT "@COMMIT@"
#define RTSIM_COMPILER "@COMPILER@"
#define RTSIM_FLAGS "@FLAGS@"
#define RTSIM_DIFF_SHA1 "@DIFF_SHA1@"
inline constexpr char rtsim_diff[] = R"@END@(@DIFF@)@END@";
]] @ONLY)
