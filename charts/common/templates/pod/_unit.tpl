{{- /*
A unit is what becomes a pod: a component, a job, a cronjob or a test. Completes its facts in place (.role,
.key, .unit), so that the templates below only read them: name, reference (of the image), settings (the
deployer's, below `pod`), run (the command), files (keys), config (kolla's config.json), env, digest (of all
that it reads), account, waits.
*/ -}}
{{- define "common.pod.unit" -}}
{{- $_ := set .unit "role" .role -}}
{{- $_ := set .unit "key" .key -}}
{{- $_ := set .unit "name" (include "common.context.name" (dict "ctx" .ctx "key" .key)) -}}
{{- $_ := set .unit "reference" (coalesce .unit.reference (include "common.context.image" (dict "ctx" .ctx "key" .key "name" (.unit.image | default .ctx.root.Values.image)))) -}}
{{- $_ := set .unit "settings" dict -}}
{{- range $name := list "env" "hostAliases" "mounts" "priorityClassName" "probes" "runtimeClassName" "security_context" "tolerations" "topologySpreadConstraints" -}}
{{- $_ := set $.unit.settings $name (include "common.context.pick" (dict "ctx" $.ctx "key" $.unit.key "of" (get $.ctx.values.pod $name)) | mustFromJson) -}}
{{- end -}}
{{- $annotations := get (.ctx.values.annotations | default dict) (ternary "pod" "job" (eq .role "component")) -}}
{{- $_ := set .unit.settings "annotations" (include "common.context.pick" (dict "ctx" .ctx "key" .key "of" $annotations) | mustFromJson) -}}
{{- $_ := set .unit "kolla" (not .unit.script) -}}
{{- $_ := set .unit "imported" (and (eq .role "component") (get (.ctx.root.Values.kolla | default dict) .key)) -}}
{{- with .unit.login -}}
{{- $_ := set $.unit "identity" (fromYaml (include "common.jobs.identity" (dict "ctx" $.ctx "user" .))) -}}
{{- end -}}
{{- include "common.pod.unit.files" . -}}
{{- $uwsgi := printf "uwsgi /etc/%s/%s-%s-uwsgi.ini" .ctx.chart .ctx.chart .key -}}
{{- $_ := set .unit "run" (ternary (.unit.command | default "") $uwsgi (empty .unit.wsgi)) -}}
{{- with .unit.argv -}}
{{- $_ := set $.unit "run" (printf "%s %s" $.unit.run (dig . "text" "" $.ctx.files)) -}}
{{- end -}}
{{- $probe := .unit.probe | default dict -}}
{{- if and $probe.consumes (not $probe.heartbeat) -}}
{{- $functions := list "oslo_messaging._drivers.impl_rabbit:Connection.consume" "kombu.transport.pyamqp:Transport.establish_connection" -}}
{{- $_ := set $probe "heartbeat" (dict "functions" $functions "every" 30) -}}
{{- end -}}
{{- $loop := list -}}
{{- if or $probe.rpc $probe.consumes -}}{{- $loop = append $loop "rpc-ping.py" -}}{{- end -}}
{{- with $probe.heartbeat -}}
{{- $_ := set $.unit "run" (printf "python3 /scripts/heartbeat.py %s %s" (join "," .functions) $.unit.run) -}}
{{- $loop = concat $loop (list "heartbeat.py" "heartbeat.sh") -}}
{{- end -}}
{{- $_ := set .unit "scripts" (concat (.unit.scripts | default list) $loop) -}}
{{- with .unit.rootwrap -}}
{{- $_ := set $.unit "run" (printf "bash /scripts/start-with-root.sh %s %s" . $.unit.run) -}}
{{- $_ := set $.unit "scripts" (append ($.unit.scripts | default list) "start-with-root.sh") -}}
{{- end -}}
{{- include "common.pod.env" . -}}
{{- /* These read certificates when they start. */ -}}
{{- if and (or .unit.wsgi .unit.controller) .ctx.values.tls.internal -}}
{{- $_ := set .unit "digest" (append .unit.digest (get .ctx.values.tls.files "tls.crt")) -}}
{{- end -}}
{{- include "common.pod.account" . -}}
{{- include "common.pod.waits" . -}}
{{- range $name := concat (compact (list .unit.script (ternary "rollout.py" "" (not (empty .unit.rollout))))) (.unit.scripts | default list) -}}
{{- $_ := set $.ctx.configmaps.bin $name (include (printf "common.scripts.%s" $name) $.ctx) -}}
{{- end -}}
{{- if .unit.kolla -}}
{{- $config := printf "%s.json" .key -}}
{{- range $key, $file := .ctx.files -}}
{{- if has $file.name (list $config "config.json") -}}
{{- fail (printf "file %s is called %s, as is kolla's configuration of %s: give it another name" $key $file.name $.unit.key) -}}
{{- end -}}
{{- end -}}
{{- if and (hasKey .ctx.configmaps.etc $config) (not .unit.group) -}}
{{- fail (printf "a component, job, cronjob or test is called %s twice: give one another name" .unit.key) -}}
{{- end -}}
{{- $_ := set .unit "config" (include "common.config.kolla" .) -}}
{{- if ne (get .ctx.configmaps.etc $config | default .unit.config) .unit.config -}}
{{- $config = printf "%s.%s" .unit.group $config -}}
{{- end -}}
{{- $_ := set .unit "config_name" $config -}}
{{- $_ := set .ctx.configmaps.etc $config .unit.config -}}
{{- end -}}
{{- end -}}

{{- /*
The keys of the files that a unit mounts: its generated files, and those that it lists, or by default all
files without `for`, or with `for` naming it.
*/ -}}
{{- define "common.pod.unit.files" -}}
{{- $files := list -}}
{{- if .unit.imported -}}
{{- range $name, $_ := .ctx.files -}}
{{- if hasPrefix (printf "kolla/%s/" $.key) $name -}}{{- $files = append $files $name -}}{{- end -}}
{{- end -}}
{{- else if .unit.files -}}
{{- range $name := .unit.files -}}
{{- if hasKey $.ctx.files $name -}}{{- $files = append $files $name -}}{{- end -}}
{{- end -}}
{{- else if .unit.kolla -}}
{{- range $name, $file := .ctx.files -}}
{{- if and (or $file.path $file.live) (eq ($file.for | default $.key) $.key) -}}{{- $files = append $files $name -}}{{- end }}{{ end }}{{ end -}}
{{- $_ := set .unit "files" $files -}}
{{- end -}}
