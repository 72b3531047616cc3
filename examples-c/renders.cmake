# What the checks of the programs that render share. Included by a script that has, from `cmake -D... -P`:
#   PROGRAM   the program
#   SCENE     the scene file
#   FOLDER    where pictures and traces go; emptied
get_filename_component(name ${PROGRAM} NAME)
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

# renders([NAME=VALUE...] -- OPTION...): with these variables and options the program succeeds. `output` is what it prints.
function(renders)
  list(FIND ARGN -- at)
  list(SUBLIST ARGN 0 ${at} variables)
  math(EXPR at "${at} + 1")
  list(SUBLIST ARGN ${at} -1 options)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env ${variables} ${PROGRAM} ${SCENE} --out ${FOLDER}/picture.png ${options}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(JOIN " " words ${variables} ${options})
  # Indented: a line that begins with SKIPPED would be one of the check's own.
  string(REPLACE "\n" "\n  " indented "${output}")
  message("-- ${words}\n  ${indented}")
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${name} ended with ${result}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# fails(OPTION...): the program ends with code 1.
function(fails)
  execute_process(COMMAND ${PROGRAM} ${ARGN} RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
  if(NOT result EQUAL 1)
    message(FATAL_ERROR "${name} ${ARGN} gave ${result}, not 1")
  endif()
endfunction()

# says(PATTERN): what was printed last has it.
function(says pattern)
  if(NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "${name} did not print \"${pattern}\"")
  endif()
endfunction()

# traces(TEXT...): the file trace.json in the folder has each text.
function(traces)
  file(READ ${FOLDER}/trace.json trace)
  foreach(text IN LISTS ARGN)
    string(FIND "${trace}" "${text}" found)
    if(found EQUAL -1)
      message(FATAL_ERROR "the trace does not show \"${text}\"")
    endif()
  endforeach()
endfunction()

# refuses(): what every such program does.
function(refuses)
  set(quickly --frames 1 --width 9 --height 9 --samples 1)
  fails(${FOLDER}/no-such.scene)
  fails(${SCENE} ${quickly} --out ${FOLDER}/no-such-folder/picture.png)
  fails(${SCENE} ${quickly} --trace ${FOLDER}/no-such-folder/trace.json)
  foreach(words "--frames;none" "--frames;7 " "--frames;0" "--frames" "--no-such-option" "-x")
    fails(${SCENE} ${words})
  endforeach()
endfunction()
