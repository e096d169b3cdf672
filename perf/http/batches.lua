-- Batch reads of random keys: wrk -s batches.lua URL -- KEYS BATCH
local requests, next_one = {}, 0

function init(args)
   local keys, batch = tonumber(args[1]), tonumber(args[2])
   math.randomseed(20260101)
   for i = 1, 4096 do
      local names = {}
      for j = 1, batch do
         names[j] = '"k' .. math.random(0, keys - 1) .. '"'
      end
      requests[i] = wrk.format("POST", "/v1/tables/bench:mget",
         { ["Content-Type"] = "application/json", ["Accept"] = "application/vnd.bigpile.batch" },
         '{"keys":[' .. table.concat(names, ",") .. "]}")
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
