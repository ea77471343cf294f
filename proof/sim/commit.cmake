# Writes OUTPUT with the commit that SOURCE is at; leaves it alone when nothing has changed.
execute_process(COMMAND git describe --always --dirty WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE HOLDFAST_COMMIT
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(HOLDFAST_COMMIT "unknown")
endif()
configure_file(${SOURCE}/proof/sim/commit.h.in ${OUTPUT} @ONLY)
