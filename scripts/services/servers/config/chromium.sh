#!/bin/sh
# Looks for everything beside itself, so that its folder can be anywhere.
here=$(dirname "$(readlink -f "$0")")
for triplet in x86_64-linux-gnu aarch64-linux-gnu; do
  libraries="$libraries$here/usr/lib/$triplet:$here/lib/$triplet:$here/usr/lib/$triplet/pulseaudio:"
done
export LD_LIBRARY_PATH="$libraries$LD_LIBRARY_PATH"
export FONTCONFIG_FILE="$here/fonts.conf"
exec "$here/usr/lib/chromium/chromium-headless-shell" "$@"
