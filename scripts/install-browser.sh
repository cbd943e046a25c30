#!/bin/sh
# Chromium and its driver from Debian's packages, for the browser tests.
set -eu
if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then
    echo "browser: $(chromium --version 2>/dev/null || echo chromium) is there"
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    echo "browser: no apt-get here; install Chromium and chromedriver your system's way, then run the tests again" >&2
    exit 1
fi
as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
$as_root apt-get install -y -qq --no-install-recommends chromium chromium-driver fonts-dejavu-core
chromium --version
