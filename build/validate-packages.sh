#!/usr/bin/env bash
# Packs the libraries, and compares what they offer with the packages of an earlier commit, the one before when none is named. Fails where a
# public type or member is gone. Packages and the other commit's sources are in artifacts/baseline.
set -euo pipefail
cd "$(dirname "$0")/.."

commit=${1:-HEAD~1}
place=$PWD/artifacts/baseline
rm -rf "$place"
git worktree prune
git worktree add --detach "$place/sources" "$commit" > /dev/null
trap 'git worktree remove --force "$place/sources"' EXIT

dotnet pack "$place/sources/BigPile.sln" -c Release -o "$place/packages" -p:Version=0.0.0-baseline -p:RunAnalyzers=false --tl:off -v:q
dotnet pack BigPile.sln -c Release -o "$place/now" -p:BaselineDirectory="$place/packages" -p:RunAnalyzers=false --tl:off -v:q
echo "$(ls "$place/now" | grep -c '\.nupkg$') packages offer all that those of $(git rev-parse --short "$commit") did."
