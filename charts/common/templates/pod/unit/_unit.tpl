{{- /*
A unit is what becomes a pod: a component, a job, a cronjob or a test. Completes its facts in place
(.role, .key, .unit), so that everything below is told, not asked:
name, image, run (the command), files (keys), env, digest (of all that it reads), account, waits.
*/ -}}
{{- define "common.pod.unit" -}}
{{- $ctx := .ctx -}}
{{- $unit := .unit -}}
{{- $_ := set $unit "role" .role -}}
{{- $_ := set $unit "key" .key -}}
{{- $_ := set $unit "name" (include "common.context.name" (dict "ctx" $ctx "key" .key)) -}}
{{- $_ := set $unit "reference" (include "common.context.image" (dict "ctx" $ctx "key" .key "name" ($unit.image | default $ctx.root.Values.image))) -}}
{{- $_ := set $unit "kolla" (not $unit.script) -}}
{{- if eq .role "component" -}}
{{- $_ := set $unit "imported" (get ($ctx.root.Values.kolla | default dict) .key) -}}
{{- end -}}
{{- with $unit.login -}}
{{- $_ := set $unit "identity" (fromYaml (include "common.jobs.identity" (dict "ctx" $ctx "user" .))) -}}
{{- end -}}
{{- include "common.pod.unit.files" . -}}
{{- include "common.pod.unit.run" . -}}
{{- include "common.pod.env" (dict "ctx" $ctx "unit" $unit) -}}
{{- include "common.pod.account" (dict "ctx" $ctx "unit" $unit) -}}
{{- include "common.pod.waits" (dict "ctx" $ctx "unit" $unit) -}}
{{- range $name := concat (compact (list $unit.script (ternary "rollout.py" "" (not (empty $unit.rollout))))) ($unit.scripts | default list) -}}
{{- $_ := set $ctx.scripts $name (include (printf "common.scripts.%s" $name) $ctx) -}}
{{- end -}}
{{- if $unit.kolla -}}
{{- $config := printf "%s.json" .key -}}
{{- range $key, $file := $ctx.files -}}
{{- if has $file.name (list $config "config.json") -}}
{{- fail (printf "file %s is called %s, as is kolla's configuration of %s: give it another name" $key $file.name $unit.key) -}}
{{- end -}}
{{- end -}}
{{- if hasKey $ctx.configs $config -}}
{{- fail (printf "a component, job, cronjob or test is called %s twice: give one another name" $unit.key) -}}
{{- end -}}
{{- $_ := set $ctx.configs $config (include "common.config.kolla" (dict "ctx" $ctx "unit" $unit)) -}}
{{- end -}}
{{- end -}}
