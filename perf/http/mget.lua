-- Batch reads: 16 keys k0 to k99999 at random in each request, asked for and answered in the binary forms.
-- wrk -t1 -c64 -d10s --latency -s perf/http/mget.lua http://127.0.0.1:5080 -- [json|binary]
local keyCount, perRequest, requestCount = 100000, 16, 2000
local requests, at = {}, 0

local function compact(keys)
  local parts = {}
  for _, key in ipairs(keys) do
    parts[#parts + 1] = string.char(#key % 256, math.floor(#key / 256)) .. key
  end
  return table.concat(parts)
end

function init(args)
  local isJson = args[1] == "json"
  math.randomseed(7)
  local headers = { ["Accept"] = "application/vnd.bigpile.batch" }
  headers["Content-Type"] = isJson and "application/json" or "application/vnd.bigpile.keys"
  for i = 1, requestCount do
    local keys = {}
    for k = 1, perRequest do keys[k] = "k" .. math.random(0, keyCount - 1) end
    local body = isJson and '{"keys":["' .. table.concat(keys, '","') .. '"]}' or compact(keys)
    requests[i] = wrk.format("POST", "/v1/tables/t:mget", headers, body)
  end
end

function request()
  at = at % requestCount + 1
  return requests[at]
end

function done(summary, latency)
  local seconds = summary.duration / 1e6
  io.write(string.format("values/s %.0f, bytes/request %.0f, p99 %.2f ms, errors %d\n",
    perRequest * summary.requests / seconds, summary.bytes / summary.requests, latency:percentile(99) / 1000, summary.errors.status))
end
