{{- /*
Every job of the chart in the order of `after`: sets .jobs of the context, key → {key, name, spec, gate, migration, retries}.
A Job cannot be changed, so its name ends in a hash of its pod and of what it reads: a change makes a new Job and
helm deletes the old one; without a change it is not run again.
*/ -}}
{{- define "common.jobs.resolve" -}}
{{- $ctx := . -}}
{{- $_ := set $ctx "jobs" dict -}}
{{- $facts := dict -}}
{{- if .root.Values.databases -}}
{{- $_ := set $facts "db-create" (fromYaml (include "common.jobs.db-create" .)) -}}
{{- end -}}
{{- if .root.Values.registration -}}
{{- $_ := set $facts "register" (fromYaml (include "common.jobs.register" .)) -}}
{{- end -}}
{{- include "common.context.merge" (dict "into" $facts "from" .root.Values.jobs) -}}
{{- $pending := list -}}
{{- range $key, $_ := $facts -}}
{{- if include "common.context.enabled" (dict "ctx" $ctx "key" (printf "job-%s" $key)) -}}
{{- $pending = append $pending $key -}}
{{- end -}}
{{- end -}}
{{- range $_ := until (len $pending) -}}
{{- $left := list -}}
{{- range $key := $pending -}}
{{- $job := get $facts $key -}}
{{- $blocked := false -}}
{{- range $job.after -}}
{{- if has . $pending -}}{{- $blocked = true -}}{{- end -}}
{{- end -}}
{{- if $blocked -}}
{{- $left = append $left $key -}}
{{- else -}}
{{- include "common.jobs.job" (dict "ctx" $ctx "key" $key "unit" $job) -}}
{{- end -}}
{{- end -}}
{{- $pending = $left -}}
{{- end -}}
{{- if $pending -}}
{{- fail (printf "jobs wait for each other: %s" (join ", " $pending)) -}}
{{- end -}}
{{- end -}}
