-- Reads of random keys: wrk -s reads.lua URL -- KEYS DEPTH [put]
-- DEPTH requests go out at once. With "put", the first request of each connection is a PUT.
local requests, next_one, puts = {}, 0, 0

function init(args)
   local keys, depth = tonumber(args[1]), tonumber(args[2])
   puts = args[3] == "put" and 64 or 0
   math.randomseed(20260101)
   for i = 1, 65536 / depth do
      local together = {}
      for j = 1, depth do
         together[j] = wrk.format("GET", "/v1/tables/bench/entries/k" .. math.random(0, keys - 1))
      end
      requests[i] = table.concat(together)
   end
end

function request()
   if puts > 0 then
      puts = puts - 1
      return wrk.format("PUT", "/v1/tables/other/entries/k" .. puts, { ["Content-Type"] = "text/plain" }, "x")
   end
   next_one = next_one % #requests + 1
   return requests[next_one]
end

function done(summary, latency, requests)
   io.write(string.format("RESULT %.0f %.0f %.0f %d\n",
      summary.requests / summary.duration * 1e6, latency:percentile(50), latency:percentile(99),
      summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status + summary.errors.timeout))
end
