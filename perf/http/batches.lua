-- Batch reads of random keys, asked for in the binary form or in JSON, and answered in the binary form:
-- wrk -s batches.lua URL -- KEYS BATCH [json]
local requests, next_one = {}, 0

local function in_json(names)
   return "application/json", '{"keys":["' .. table.concat(names, '","') .. '"]}'
end

local function in_binary(names)
   local parts = {}
   for i, name in ipairs(names) do
      parts[i] = string.char(#name % 256, math.floor(#name / 256)) .. name
   end
   return "application/vnd.bigpile.keys", table.concat(parts)
end

function init(args)
   local keys, batch, form = tonumber(args[1]), tonumber(args[2]), args[3] == "json" and in_json or in_binary
   math.randomseed(20260101)
   for i = 1, 4096 do
      local names = {}
      for j = 1, batch do
         names[j] = "k" .. math.random(0, keys - 1)
      end
      local type, body = form(names)
      requests[i] = wrk.format("POST", "/v1/tables/bench:mget",
         { ["Content-Type"] = type, ["Accept"] = "application/vnd.bigpile.batch" }, body)
   end
end

function request()
   next_one = next_one % #requests + 1
   return requests[next_one]
end

function done(summary, latency, requests)
   io.write(string.format("RESULT %.0f %.0f %.0f %d\n",
      summary.requests / summary.duration * 1e6, latency:percentile(50), latency:percentile(99),
      summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status + summary.errors.timeout))
end
