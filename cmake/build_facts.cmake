# Writes OUT, a header with VERSION, COMPILER, FLAGS and the commit of SOURCE.
execute_process(COMMAND git -C ${SOURCE} rev-parse HEAD
  OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(COMMIT unknown)  # built from an archive
else()
  execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no
    OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    string(APPEND COMMIT "-dirty")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT [[#pragma once
#define RTSIM_VERSION "@VERSION@"
#define RTSIM_COMMIT "@COMMIT@"
#define RTSIM_COMPILER "@COMPILER@"
#define RTSIM_FLAGS "@FLAGS@"
]] @ONLY)
