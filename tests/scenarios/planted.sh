#!/usr/bin/env bash
# Mistakes that the interpreter of scenarios must not pass: wrong answers, and files that are wrong. Each fails, and is named with its line.
#
# usage: tests/scenarios/planted.sh PROGRAM     the interpreter
#
# Time: a second.
set -euo pipefail

program=$1 failures=0
file=$(mktemp)
trap 'rm -f "$file"' EXIT

# fails LINE STEPS...: a case with these steps fails at that line; the case's own is 1.
fails() {
  local line=$1 code=0 log
  shift
  { echo "case planted" && printf '  %s\n' "$@"; } >"$file"
  log=$("$program" host "$file" 2>&1) || code=$?
  [ $code -eq 1 ] && [[ $log == *"$file:$line: FAILED"* ]] && return
  printf 'exit %s, and not a failure in line %s:\n%s\n%s\n' "$code" "$line" "$(cat "$file")" "$log"
  failures=$((failures + 1))
}

# Wrong answers.
fails 3 "event e" "query e -> NOT_READY"
fails 3 "event e" "query e -> INVALID_HANDLE"
fails 2 "query null"
fails 2 "query null -> INVALID_HANDLE STALE_HANDLE"
fails 2 'query null -> INVALID_HANDLE NULL_HANDLE "gevt_sync"'
fails 2 "query null -> NOT_A_STATUS"
fails 3 "event e" "info e state -> PENDING"
fails 3 "event e" "info e records -> 1"
fails 3 "event e" 'info e name -> "another"'
fails 3 "event e" "info e with 0"
fails 4 "stream s" "event a b" "record a s ; record b s ; stream_sync s ; elapsed_ns a b -> SUCCESS > 3600s"
fails 4 "event a" "event b with HOST_SIGNALED" "sync_any b a -> SUCCESS at 0"
fails 4 "stream s" "stream_launch s f ; stream_sync s" "count f -> 2"
fails 4 "stream s" "hold s gate" "passed gate -> yes"
fails 3 "for N in 1 2:" "  query null"
fails 2 "on host: query null"
fails 3 "elsewhere:" "  query null"
fails 4 "stream s" "stream_launch s f:" "  query null" "stream_sync s"
fails 4 "event e with HOST_SIGNALED" "start t: sync e" "signal e 719 ; join t"
fails 3 "event e" "start t: sync e"
fails 3 "process p" "p: query null"
fails 4 "process p" "p:" "  query null"
fails 3 "process p" "p: no_such_step"
fails 3 "event e with INTERPROCESS|DISABLE_TIMING" "let HANDLE: query e"
fails 2 "forked:" "  query null"
fails 3 "one of:" "  query null"
fails 4 "one of:" "  live_events -> 0" "  query null"
fails 3 "one of:" '  for CALL in sync query: $CALL null'
fails 4 "log f LOG_WARN" "query null -> INVALID_HANDLE" "count f -> 2"
fails 2 "log f LOG_WARN: query null" "query null -> INVALID_HANDLE"
# What is left at the end.
fails 1 "event e with HOST_SIGNALED" "start t: sync e" "signal e"
# Mistakes of the file.
fails 2 "no_such_step"
fails 2 "no_such_head: query null"
fails 2 "query e"
fails 2 "query"
fails 3 "event e" "query e e"
fails 3 "event e" "event e"
fails 2 'query "'
fails 2 'query $N'
fails 2 "for N in 1:"
fails 2 "use nothing"
fails 2 "event e" "  query e"
fails 3 "event e" "only host: too late"
echo "  query null" >"$file"
code=0
"$program" host "$file" >/dev/null || code=$?
[ $code -eq 1 ] || { echo "a step outside of cases passes" && failures=$((failures + 1)); }
# A file that runs no case.
printf 'case skipped\n  only cuda: a reason\n' >"$file"
code=0
log=$("$program" host "$file") || code=$?
[[ $code -eq 1 && $log == *"case skipped on host: a reason"* ]] || { echo "a file without a case passes" && failures=$((failures + 1)); }
[ $failures -eq 0 ] && echo "passed"
