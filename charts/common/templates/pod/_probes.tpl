{{- /*
The probes of a component from its facts: probe {path | tcp | exec, port, readiness, liveness, timeout,
period, patience (seconds that a start may take)}; `reaches` adds the ports of these endpoints to an `exec`; a
kind's own map replaces the handler for that kind. Timings are the user's at
`pod.probes.<unit>.<unit>.<kind>.params`. Liveness tolerates more failures: readiness is the answer to a
temporary one, not a restart. Each `exec` starts a process, so these probes are rarer.
*/ -}}
{{- define "common.pod.probes" -}}
{{- $probe := .unit.probe -}}
{{- if or $probe.rpc $probe.heartbeat -}}
{{- $probe = merge dict $probe (include "common.pod.probes.loop" . | fromYaml) -}}
{{- end -}}
{{- $period := hasKey ($probe.readiness | default $probe) "exec" | ternary 30 10 -}}
{{- $timing := dict
  "startup" (dict "periodSeconds" 5 "timeoutSeconds" ($probe.timeout | default 10) "failureThreshold" (div ($probe.patience | default 300) 5))
  "readiness" (dict "periodSeconds" ($probe.period | default $period) "timeoutSeconds" ($probe.timeout | default 10) "failureThreshold" ($probe.failures | default 3))
  "liveness" (dict "periodSeconds" ($probe.pause | default 30) "timeoutSeconds" ($probe.timeout | default 10) "failureThreshold" 5) -}}
{{- $user := include "common.context.pick" (dict "ctx" .ctx "key" .unit.key "of" .unit.settings.probes) | mustFromJson | default dict -}}
{{- range $kind := list "startup" "readiness" "liveness" -}}
{{- if dig $kind "enabled" true $user }}
{{- $asked := get $probe $kind | default $probe }}
{{- $port := coalesce $asked.port $probe.port $.unit.main }}
{{- $params := get $timing $kind }}
{{- include "common.context.merge" (dict "into" $params "from" (dig $kind "params" dict $user)) }}
{{ $kind }}Probe:
  {{- if $asked.exec }}
  {{- $command := $asked.exec }}
  {{- range $asked.reaches }}{{ $command = append $command (include "common.endpoints.port" (dict "ctx" $.ctx "type" .)) }}{{ end }}
  exec:
    command: {{ toJson $command }}
  {{- else if $asked.path }}
  httpGet:
    path: {{ $asked.path }}
    port: {{ $port }}
    {{- if and $.unit.https (eq $port $.unit.main) }}
    scheme: HTTPS
    {{- end }}
  {{- else }}
  tcpSocket:
    port: {{ $port }}
  {{- end }}
  {{- toYaml $params | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}

{{- /*
The probes of a component whose main loop answers: pings of its RPC servers (`rpc`), the age of its heartbeat (`heartbeat`),
consumers of its queues (`consumes`). While the bus works and a server does not answer, the readiness probe leaves a file,
which is all that liveness checks: five minutes of it restart the container. An imported service has no heartbeat, because
its rounds are not known; only whether its processes are stopped is checked. A start may wait for a bus or a database that is
down, and take long on a host with many guests: it has half an hour.
*/ -}}
{{- define "common.pod.probes.loop" -}}
{{- $probe := .unit.probe -}}
{{- $ready := list -}}
{{- $live := list "test" "!" "-e" "/tmp/rpc-unanswered" -}}
{{- if or $probe.rpc $probe.consumes -}}
{{- $ready = concat (list "python3" "/scripts/rpc-ping.py" (get .ctx.files .ctx.chart).path) ($probe.rpc | default list) -}}
{{- range $probe.consumes -}}{{- $ready = append $ready (printf "=%s" .) -}}{{- end -}}
{{- end -}}
{{- with $probe.heartbeat -}}
{{- $every := .every -}}
{{- if kindIs "map" $every -}}
{{- $every = include "common.config.option" (dict "ctx" $.ctx "option" $every.option "default" $every.default) -}}
{{- end -}}
{{- $age := ternary "any" (toString (add 15 (int $every))) (not (empty $.unit.imported)) -}}
{{- $live = list "bash" "/scripts/heartbeat.sh" $age -}}
{{- $ready = concat $live $ready }}
period: 20
failures: 2
{{- end }}
pause: 60
patience: 1800
startup: {exec: {{ toJson $ready }}}
readiness: {exec: {{ toJson $ready }}}
liveness: {exec: {{ toJson $live }}}
{{- end -}}
