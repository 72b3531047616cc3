#!/usr/bin/env bash
# The scripts that run checks and tests count a failing command as failed, never as skipped, for every exit code.
for runner in ci/check.sh tests/run.sh examples-c/run.sh; do
  for command in 'exit 1' 'exit 77' 'kill -KILL $$' 'echo "SKIPPED: planted" && exit 77'; do
    $runner bash -c "$command" >/dev/null 2>&1
    code=$?
    case $code in 0 | 77) echo "$runner gives $code for: $command" && exit 1 ;; esac
  done
done
ci/check.sh bash -c '. ci/lib.sh && skip planted && exit 1' >/dev/null
[ $? -eq 77 ]
