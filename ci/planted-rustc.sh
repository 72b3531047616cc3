#!/bin/sh
# Compiles one of gevt's own crates with the planted bugs; ci/planted.sh names it to cargo.
exec "$@" --cfg gevt_planted
