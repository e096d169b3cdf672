#!/usr/bin/env bash
# Compares the service with nginx on one core each: the server on core 0, wrk on core 1, in turns.
#
#   perf/http/compare.sh [--keys N] [--seconds S] [--rounds R] [--warmup S] [--directory DIR]
#
# Fills a mapped pile in DIR (kept for the next run; by default a temporary one) with N records of 1,000 bytes. Each round measures every row
# once; the table has the medians. Needs wrk; without nginx, its rows and the ratios are omitted.
# Use a quiet machine with two cores: other load distorts the figures. "CPU us" is the server's processor time per request, the figure that
# other load affects least; "B/req" is allocation on the managed heap per request; "nginx" is the ratio of the medians at one depth.
set -euo pipefail

keys=1000000 seconds=5 rounds=3 warmup=15 directory=""
while [ $# -gt 0 ]; do
   case "$1" in
      --keys) keys=$2 ;;
      --seconds) seconds=$2 ;;
      --rounds) rounds=$2 ;;
      --warmup) warmup=$2 ;;
      --directory) directory=$2 ;;
      *) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2 ;;
   esac
   shift 2
done

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
nginx_port=18080 port=18081
started=() server_id=0 nginx_id=0
results="$work/results"
: > "$results"

stop() {
   for id in "${started[@]:-}"; do
      [ -n "$id" ] && kill "$id" 2> "$work/kill.log" && wait "$id" || true
   done
   started=()
}
trap 'stop; rm -rf "$work"' EXIT

command -v wrk > "$work/which" || { echo "There is no wrk on the path; it is Debian's package wrk."; exit 1; }
nginx=$(PATH="$PATH:/usr/sbin" command -v nginx || true)
[ -n "$nginx" ] || echo "There is no nginx on the path: its rows and all ratios are left out."

echo "Building ..."
dotnet build -c Release "$root/src/BigPile.Server" > "$work/build.log" 2>&1 || { tail -5 "$work/build.log"; exit 1; }
server=$(dotnet msbuild "$root/src/BigPile.Server" -p:Configuration=Release -getProperty:TargetPath)
pile="${directory:-$work/pile}"

if [ ! -d "$pile" ]; then
   echo "Loading $keys records of 1,000 bytes ..."
   filler=$(head -c 1000 /dev/zero | tr '\0' 'x')
   awk -v n="$keys" -v filler="$filler" 'BEGIN {
      for (i = 0; i < n; i++) { head = "{\"id\":\"k" i "\",\"text\":\""; print head substr(filler, 1, 1000 - length(head) - 2) "\"}" }
   }' | dotnet "$server" load /dev/stdin --table bench --key id --directory "$pile" > "$work/load.log" 2>&1 \
      || { tail -5 "$work/load.log"; exit 1; }
fi

wait_for() { # URL
   for _ in $(seq 600); do
      curl -s -o "$work/probe" "$1" && return 0
      sleep 0.1
   done
   echo "Nothing answers at $1."
   return 1
}

start_nginx() {
   local body
   body=$(head -c 1000 /dev/zero | tr '\0' 'x')
   cat > "$work/nginx.conf" << CONF
daemon off; pid $work/nginx.pid; error_log $work/nginx.log; worker_processes 1;
events { worker_connections 1024; }
http {
   access_log off; keepalive_requests 1000000000; keepalive_timeout 1h; default_type application/json;
   client_body_temp_path $work; proxy_temp_path $work; fastcgi_temp_path $work; uwsgi_temp_path $work; scgi_temp_path $work;
   server { listen 127.0.0.1:$nginx_port; location / { return 200 "$body"; } }
}
CONF
   taskset -c 0 "$nginx" -p "$work" -c "$work/nginx.conf" > "$work/nginx.out" 2>&1 &
   nginx_id=$!
   started+=("$nginx_id")
   wait_for "http://127.0.0.1:$nginx_port/"
}

start_server() { # settings ...
   # Reads every page of the pile before anything is measured.
   cat "$pile"/*  > "$work/pages" 2>&1 || true
   rm -f "$work/pages"
   taskset -c 0 dotnet "$server" --urls "http://127.0.0.1:$port" "--Pile:Directory=$pile" --Server:LoadSample=false \
      "$@" > "$work/server.log" 2>&1 &
   server_id=$!
   started+=("$server_id")
   wait_for "http://127.0.0.1:$port/v1/tables/bench/entries/k0"
}

allocated() { # bytes allocated by the service so far
   curl -s "http://127.0.0.1:$port/v1/stats" | grep -o '"allocatedBytes":[0-9]*' | head -1 | cut -d: -f2
}

processor() { # microseconds that a process and its children have used
   local id ticks=0
   for id in "$1" $(cat "/proc/$1/task/$1/children"); do
      ticks=$((ticks + $(awk '{ print $14 + $15 }' "/proc/$id/stat")))
   done
   echo $((ticks * 1000000 / $(getconf CLK_TCK)))
}

measure() { # row, port, script, arguments ...
   local row=$1 to=$2 script=$3 before="" after="" line id=$nginx_id used
   shift 3
   [ "$to" = "$port" ] && id=$server_id
   used=$(processor "$id")
   [ "$to" = "$port" ] && before=$(allocated)
   line=$(taskset -c 1 wrk -t1 -c64 -d"${seconds}s" --latency -s "$here/$script" "http://127.0.0.1:$to" -- "$keys" "$@" \
      | grep RESULT)
   [ "$to" = "$port" ] && after=$(allocated)
   used=$(($(processor "$id") - used))
   read -r _ rate p50 p99 errors <<< "$line"
   local managed="-"
   [ -n "$before" ] && [ -n "$after" ] && managed=$(awk -v a="$after" -v b="$before" -v n="$rate" -v s="$seconds" 'BEGIN { printf "%.1f", (a - b) / (n * s) }')
   local each
   each=$(awk -v u="$used" -v n="$rate" -v s="$seconds" 'BEGIN { printf "%.1f", u / (n * s) }')
   echo "$row|$rate|$p50|$p99|$errors|$managed|$each" >> "$results"
}

warm() {
   for depth in 1 16; do
      taskset -c 1 wrk -t1 -c64 -d"${warmup}s" -s "$here/reads.lua" "http://127.0.0.1:$port" -- "$keys" "$depth" > "$work/warm.log"
   done
   taskset -c 1 wrk -t1 -c64 -d3s -s "$here/reads.lua" "http://127.0.0.1:$port" -- "$keys" 1 put > "$work/warm.log"
   if has_batches; then
      taskset -c 1 wrk -t1 -c64 -d"${warmup}s" -s "$here/batches.lua" "http://127.0.0.1:$port" -- "$keys" 16 > "$work/warm.log"
   fi
}

has_batches() {
   [ "$(curl -s -o "$work/probe" -w '%{http_code}' -X POST -H 'Content-Type: application/json' -d '{"keys":["k0"]}' \
      "http://127.0.0.1:$port/v1/tables/bench:mget")" = 200 ]
}

reads() { # name
   measure "$1, depth 1" "$port" reads.lua 1
   [ -n "$nginx" ] && measure "nginx return 200, depth 1" "$nginx_port" reads.lua 1
   measure "$1, depth 16" "$port" reads.lua 16
   [ -n "$nginx" ] && measure "nginx return 200, depth 16" "$nginx_port" reads.lua 16
   measure "$1, depth 1, after one PUT per connection" "$port" reads.lua 1 put
   if has_batches; then
      measure "$1, batches of 16 keys" "$port" batches.lua 16
      measure "$1, batches of 16 keys asked for in JSON" "$port" batches.lua 16 json
   fi
}

for mode in "fast path" "fast path, inline" "full stack"; do
   echo "Measuring: $mode ..."
   settings=()
   case "$mode" in
      *inline) settings=(--Http:InlineScheduling=true) ;;
      full*) settings=(--Http:FastDoor=false) ;;
   esac
   start_server "${settings[@]}"
   [ -n "$nginx" ] && start_nginx
   warm
   for round in $(seq "$rounds"); do
      reads "$mode"
   done
   has_batches || echo "The service has no batch reads: their row is left out."
   stop
done

# Medians of each row; ratios to nginx at the same depth.
sort -t'|' -k1,1 -k2,2n "$results" | awk -F'|' '
   function flush() {
      if (n == 0) return
      middle = int((n + 1) / 2)
      rate[row] = rates[middle]; low[row] = rates[1]; high[row] = rates[n]; line[row] = p50s[middle] "|" p99s[middle] "|" failed "|" bytes[middle] "|" used[middle]
      order[++count] = row
   }
   $1 != row { flush(); n = 0; failed = 0; row = $1 }
   { n++; rates[n] = $2; p50s[n] = $3; p99s[n] = $4; failed += $5; bytes[n] = $6; used[n] = $7 }
   END {
      flush()
      printf "%-58s %9s %9s %9s %7s %7s %8s %8s %7s %6s\n", "row", "min/s", "median/s", "max/s", "p50 us", "p99 us", "CPU us", "B/req", "errors", "nginx"
      for (i = 1; i <= count; i++) {
         r = order[i]
         base = index(r, "depth 16") ? rate["nginx return 200, depth 16"] : rate["nginx return 200, depth 1"]
         split(line[r], part, "|")
         ratio = base > 0 ? sprintf("%.2f", rate[r] / base) : "-"
         printf "%-58s %9d %9d %9d %7s %7s %8s %8s %7s %6s\n", r, low[r], rate[r], high[r], part[1], part[2], part[5], part[4], part[3], ratio
      }
   }'
