-- For wrk: requests of one method to the charts that are named after `--`, one after the other, each PATCH with another
-- value. Ends with a line of JSON: the median and the 99th percentile in microseconds, and what was no success.
local count = 0
local method
local charts = {}

function init(args)
  method = args[1]
  for index = 2, #args do charts[index - 1] = args[index] end
end

function request()
  count = count + 1
  local path = "/v1/helm_charts/" .. charts[count % #charts + 1] .. "?namespace=openstack"
  if method == "GET" then return wrk.format("GET", path) end
  local body = '{"flag":"reset","values":{"set":["pod.replicas.api=' .. count .. '"]}}'
  return wrk.format(method, path, {["content-type"] = "application/json"}, body)
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  print(string.format('{"requests":%d,"failed":%d,"p50":%d,"p99":%d}',
    summary.requests, failed, latency:percentile(50), latency:percentile(99)))
end
