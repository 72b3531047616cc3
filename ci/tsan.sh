#!/usr/bin/env bash
# The C tests with threads under ThreadSanitizer: no two threads touch the same memory without an order between them.
#
# usage: ci/tsan.sh [OPTION...]     options go to ctest, such as -R wait
#
# The library, its dependencies, std and the tests are all instrumented, so that nothing has to be suppressed. What it does not
# know are fences: it sees no order that a fence makes, and none in the tests needs one beside atomics.
# fork, exit and errors are left out: a child with one of several threads, an end with threads under way and a process
# without memory are what ThreadSanitizer itself does not outlive.
# Time: 50 seconds on two cores from nothing, 25 when all is built.
set -euo pipefail
cd "$(dirname "$0")/.."
exec ci/sanitizer.sh thread '^c\.(any_all|callbacks|contexts|cpp|deadlock|elapsed|fuzz|lifecycle|pool|races|record|streams|sync|threads|wait)\.host$' \
  race:test_races:"data race" -- "$@"
