#!/usr/bin/env bash
# The C and C++ tests and the examples, under ctest, against the release build of the library.
#
# usage: ci/c-tests.sh [OPTION...]     options go to ctest, such as -R wait, or -V
#        ci/c-tests.sh --build         builds them
#        ci/c-tests.sh --rounds        looks for rare failures: 200 processes for each case about process exit, 20,000 wake-ups, 300 rounds
#                                      of the kill test, and a thousand processes that wait for one event
. "$(dirname "$0")/lib.sh"

c_build
case ${1-} in
  --build) exit ;;
  --rounds)
    export GEVT_TEST_ROUNDS=200
    quietly c_tests rounds --parallel $((2 * $(nproc))) -R '^c\.(exit|fork|sync|dlopen\..*)\.host$'
    build/tests/c/test_ipc_kill host 300
    TEST_IMPORTERS=1000 build/tests/c/test_scenario host tests/scenarios/ipc_bare.scn many_importers
    exit
    ;;
esac
# The tests of the Vulkan backend are ci/vulkan.sh's. Tests wait more than they compute.
code=0
c_tests c-tests -LE vulkan --parallel $((4 * $(nproc))) "$@" || code=$?
# Cases that a passing test left out.
grep -as '^SKIPPED: ' "$target/c-tests/Testing/Temporary/LastTest.log" | grep -v 'there is no CUDA device' | sort -u || true
exit $code
