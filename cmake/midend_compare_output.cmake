# cmake -DPROGRAM=… -DARGS=a;b -DEXPECTED=FILE -P: runs the program and compares its standard output with the file.
execute_process(COMMAND "${PROGRAM}" ${ARGS} OUTPUT_VARIABLE output RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${status} and printed:\n${output}")
endif()
file(READ "${EXPECTED}" expected)
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "${PROGRAM} printed:\n${output}\n${EXPECTED} says:\n${expected}")
endif()
