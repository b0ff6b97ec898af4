{{- /*
Renders the pod of one job, names the job after its inputs and puts it into .jobs of the context. Of its files only
the sections in `reads` count: another option is no reason to run a migration again. Of those that were generated
elsewhere the sections are not known, and all counts.
*/ -}}
{{- define "common.jobs.job" -}}
{{- $ctx := .ctx -}}
{{- $unit := .unit -}}
{{- if $unit.migration -}}
{{- $_ := set $unit "command" (printf "bash /scripts/migrate.sh %s" $unit.command) -}}
{{- $_ := set $unit "scripts" (append ($unit.scripts | default list) "migrate.sh") -}}
{{- end -}}
{{- include "common.pod.unit" (dict "ctx" $ctx "role" "job" "key" .key "unit" $unit) -}}
{{- $spec := include "common.pod.spec" (dict "ctx" $ctx "unit" $unit) -}}
{{- $inputs := concat (list $spec $unit.run) $unit.digest -}}
{{- range $key := $unit.files -}}
{{- if dig $key "imported" false $ctx.files -}}
{{- $inputs = append $inputs (get $ctx.files $key).text -}}
{{- end -}}
{{- $sections := dig $key "sections" dict $ctx.files -}}
{{- range $section := $unit.reads -}}
{{- $inputs = append $inputs (printf "%s %s %s" $key $section (get $sections $section | toJson)) -}}
{{- end -}}
{{- end -}}
{{- range $name := concat (compact (list $unit.script)) ($unit.scripts | default list) -}}
{{- $inputs = append $inputs (get $ctx.configmaps.bin $name) -}}
{{- end -}}
{{- $name := printf "%s-%s" $unit.name (join "\n" $inputs | sha256sum | trunc 8) -}}
{{- $gate := and (not $unit.rollout) (ne (toString $unit.gate) "false") -}}
{{- $_ := set $ctx.jobs .key (dict "key" .key "name" $name "spec" $spec "gate" $gate "migration" $unit.migration "retries" (dig "retries" 10 $unit)) -}}
{{- end -}}
