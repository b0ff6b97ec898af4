{{- /*
Adds the component `status` from the facts `service_status`: one pod that asks the service how it is, and is
ready while the answer is healthy. It waits for nothing, and nothing waits for it. If no component has a pod,
there is nothing to ask.
*/ -}}
{{- define "common.context.status" -}}
{{- $status := .root.Values.service_status -}}
{{- $pods := 0 -}}
{{- range $key, $component := .root.Values.components -}}
{{- if and $component (ne (toString $component.kind) "DaemonSet") -}}
{{- $pods = include "common.context.status.pods" (dict "ctx" $ "key" $key) | int | add $pods -}}
{{- end -}}
{{- end -}}
{{- if and $status (gt $pods 0) -}}
{{- if hasKey .root.Values.components "status" -}}
{{- fail (printf "%s has a component status and service_status, which makes one: give the component another name" .chart) -}}
{{- end -}}
{{- $checks := dict -}}
{{- $scripts := list "service-status.py" -}}
{{- range $name, $check := $status.checks -}}
{{- if $check -}}
{{- $least := dict -}}
{{- range $what, $number := $check.least -}}
{{- $_ := set $least $what (include "common.context.status.least" (dict "ctx" $ "what" $what "number" $number) | int) -}}
{{- end -}}
{{- $_ := set $checks $name (merge (dict "least" $least) (omit $check "down_after" "least")) -}}
{{- with $check.down_after -}}
{{- $_ := set (get $checks $name) "down_after" (include "common.context.status.number" (dict "ctx" $ "number" .) | int) -}}
{{- end -}}
{{- with $check.script }}{{ $scripts = append $scripts . }}{{ end -}}
{{- end -}}
{{- end -}}
{{- $facts := dict
  "script" "service-status.py" "scripts" $scripts "after" list "grace" 5 "is_status" true
  "ports" (dict "metrics" 9309) "tls" dict
  "variables" (dict "CHECKS" (dict "json" $checks) "METRICS_PORT" "9309" "METRICS_ADDRESS" (dict "field" "status.podIP") | merge ($status.variables | default dict))
  "probe" (dict "exec" (list "test" "/tmp/healthy" "-nt" "/proc/self"))
  "resources" (dict "requests" (dict "cpu" "5m" "memory" "32Mi")) -}}
{{- $_ := set .root.Values.components "status" (merge (omit $status "checks" "variables") $facts) -}}
{{- end -}}
{{- end -}}

{{- /*
The number of .what that must be up: .number, or the replicas of a component, times an option such as its
number of processes. What a generated file of kolla says of the component is not known. A .number of a part that
is called like a component (`NAME`, `CHART-NAME`) is at most its replicas. Of what has none, rows are left from
earlier: nothing is expected, and no row counts.
*/ -}}
{{- define "common.context.status.least" -}}
{{- if kindIs "map" .number -}}
{{- $key := .number.replicas -}}
{{- $times := 1 -}}
{{- if and .number.times (not (get (.ctx.root.Values.kolla | default dict) $key)) -}}
{{- $times = include "common.context.status.number" (dict "ctx" .ctx "number" (dict "option" .number.times "default" 1)) | int -}}
{{- end -}}
{{ include "common.context.status.pods" (dict "ctx" .ctx "key" $key) | int | mul $times }}
{{- else -}}
{{- $key := trimPrefix (printf "%s-" .ctx.chart) .what -}}
{{- $most := ternary (include "common.context.status.pods" (dict "ctx" .ctx "key" $key)) .number (hasKey .ctx.root.Values.components $key) -}}
{{ min (int .number) (int $most) }}
{{- end -}}
{{- end -}}

{{- /* The pods of a component: its replicas, or 0 if it is switched off; of a DaemonSet 1 stands for any. */ -}}
{{- define "common.context.status.pods" -}}
{{- $component := get .ctx.root.Values.components .key | default dict -}}
{{- $kind := $component.kind | default "Deployment" | lower -}}
{{- if and $component (include "common.context.enabled" (dict "ctx" .ctx "key" (printf "%s-%s" $kind .key))) -}}
{{ eq $kind "daemonset" | ternary "1" (include "common.context.replicas" (dict "ctx" .ctx "key" .key)) }}
{{- else -}}
0
{{- end -}}
{{- end -}}

{{- /* A .number, or that of an option: {option: FILE.SECTION.OPTION, default}. */ -}}
{{- define "common.context.status.number" -}}
{{- if kindIs "map" .number -}}
{{- $value := include "common.config.option" (dict "ctx" .ctx "option" .number.option) -}}
{{ ternary $value (int .number.default | toString) (regexMatch "^[0-9]+$" $value) }}
{{- else -}}
{{ int .number }}
{{- end -}}
{{- end -}}

{{- /*
Completes the component: one replica, and probes that end nothing because the service is unhealthy. The first
healthy answer is found fast; later ones are asked for rarely, because each starts a process.
*/ -}}
{{- define "common.context.status.unit" -}}
{{- $probes := dict
  "startup" (dict "params" (dict "periodSeconds" 3 "failureThreshold" 1000000))
  "readiness" (dict "params" (dict "periodSeconds" 15 "failureThreshold" 1))
  "liveness" (dict "enabled" false) -}}
{{- include "common.context.merge" (dict "into" $probes "from" (dig "status" dict (.settings.probes | default dict))) -}}
{{- $_ := set .settings "probes" (dict "status" $probes) -}}
{{- $_ := set . "replicas" 1 -}}
{{- end -}}
