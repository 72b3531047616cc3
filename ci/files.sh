#!/usr/bin/env bash
# Lists the files of the checkout, each followed by a NUL: what git has, and new files that it does not ignore. Without git, or in an
# unpacked archive: all files outside the folders of builds.
#
# safe.directory   git refuses a checkout of another user, such as one that a container mounts.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -e .git ] && command -v git >/dev/null; then
  git -c safe.directory="$PWD" ls-files -z --cached --others --exclude-standard
else
  find . \( -path ./.git -o -path ./target -o -path './build*' -type d -o -path ./gpu \) -prune -o \
    \( -type f -o -type l \) -printf '%P\0'
fi
