{{- /*
Sets .jobs of the context, every job of the chart in the order of `after`: key → {key, name, spec, gate,
migration, migrated, dumps, annotations, retries, part}. A Job is immutable, so its name ends in a hash of its
pod and of what it reads: a change creates a new Job and helm deletes the old one; without a change it does
not run again. If a section is several releases, the jobs for which no component waits belong to the part
`rollout`, because they wait for components; the others belong to `common`.
*/ -}}
{{- define "common.jobs.resolve" -}}
{{- $facts := dict -}}
{{- $asked := dict "db-create" .root.Values.databases "register" .root.Values.registration "bus-create" (hasKey .used (printf "oslo_messaging.%s.password" .chart)) -}}
{{- range $key, $any := $asked -}}
{{- if $any -}}
{{- $_ := set $facts $key (include (printf "common.jobs.%s" $key) $ | fromYaml) -}}
{{- end -}}
{{- end -}}
{{- include "common.context.merge" (dict "into" $facts "from" .root.Values.jobs) -}}
{{- range $key, $_ := $facts -}}
{{- include "common.jobs.visit" (dict "ctx" $ "facts" $facts "key" $key "before" list) -}}
{{- end -}}
{{- end -}}

{{- /*
Adds a job after those for which it waits, unless it is there already; .before are those that wait for it.
*/ -}}
{{- define "common.jobs.visit" -}}
{{- if has .key .before -}}
{{- fail (printf "jobs wait for each other: %s" (append .before .key | join ", ")) -}}
{{- end -}}
{{- $job := get .facts .key -}}
{{- if and $job (hasKey .ctx.values ($job.when | default "region")) (not (hasKey .ctx.jobs .key)) (include "common.context.enabled" (dict "ctx" .ctx "key" (printf "job-%s" .key))) -}}
{{- range $job.after -}}
{{- include "common.jobs.visit" (dict "ctx" $.ctx "facts" $.facts "key" . "before" (append $.before $.key)) -}}
{{- end -}}
{{- include "common.jobs.job" (dict "ctx" .ctx "key" .key "unit" $job) -}}
{{- end -}}
{{- end -}}

{{- /*
Renders the pod of one job, names the job after its inputs and adds it to .jobs of the context. Of its files,
only the sections in `reads` count: another option is no reason to run a migration again. Generated files
count as a whole, because their sections are not known.
*/ -}}
{{- define "common.jobs.job" -}}
{{- if .unit.migration -}}
{{- $_ := set .unit "command" (printf "bash /scripts/migrate.sh %s" .unit.command) -}}
{{- $_ := set .unit "scripts" (append (.unit.scripts | default list) "migrate.sh") -}}
{{- end -}}
{{- $migrated := false -}}
{{- range .unit.after -}}
{{- $migrated = or $migrated (dig . "migrated" false $.ctx.jobs) -}}
{{- end -}}
{{- if and .unit.migration (not $migrated) .ctx.root.Values.databases .ctx.values.dumps.claim -}}
{{- $_ := set .unit "dumps" "save" -}}
{{- $_ := set .unit "scripts" (append .unit.scripts "dump.sh") -}}
{{- end -}}
{{- include "common.pod.unit" (dict "ctx" .ctx "role" "job" "key" .key "unit" .unit) -}}
{{- $spec := include "common.pod.spec" . -}}
{{- $inputs := concat (list $spec .unit.run) .unit.digest -}}
{{- with .unit.settings.annotations -}}
{{- $inputs = append $inputs (toJson .) -}}
{{- end -}}
{{- range $key := .unit.files -}}
{{- $file := get $.ctx.files $key -}}
{{- if $file.imported -}}
{{- $inputs = append $inputs $file.text -}}
{{- end -}}
{{- range $section := $.unit.reads -}}
{{- $inputs = append $inputs (printf "%s %s %s" $key $section (get $file.sections $section | toJson)) -}}
{{- end -}}
{{- end -}}
{{- range $name := concat (compact (list .unit.script)) (.unit.scripts | default list) -}}
{{- $inputs = append $inputs (get $.ctx.configmaps.bin $name) -}}
{{- end -}}
{{- $name := printf "%s-%s" .unit.name (join "\n" $inputs | sha256sum | trunc 8) -}}
{{- $gate := and (not .unit.rollout) (ne (toString .unit.gate) "false") -}}
{{- $_ := set .ctx.jobs .key (dict "key" .key "name" $name "spec" $spec "part" (ternary "common" "rollout" $gate) "gate" $gate "migration" .unit.migration "migrated" (or $migrated (not (empty .unit.migration))) "dumps" .unit.dumps "annotations" .unit.settings.annotations "retries" (dig "retries" 10 .unit)) -}}
{{- end -}}
