{{- /*
`cronjobs.<name>`: the facts of a job, and a schedule; `cleanup`; `db-restore`. Its template is mutable, so
its name has no hash.
*/ -}}
{{- define "common.kinds.cronjobs" -}}
{{- $units := dict "cleanup" (include "common.jobs.cleanup" . | fromYaml) -}}
{{- range .jobs -}}
{{- if .dumps -}}
{{- $_ := set $units "db-restore" (include "common.jobs.db-restore" $ | fromYaml) -}}
{{- end -}}
{{- end -}}
{{- include "common.context.merge" (dict "into" $units "from" .root.Values.cronjobs) -}}
{{- range $key, $unit := $units -}}
{{- $cronjob := dict "kind" "batch/v1 CronJob" "ctx" $ "unit" $unit "annotations" $unit.annotations -}}
{{- if and $unit (hasKey $.values ($unit.when | default "region")) (include "common.context.enabled" (dict "ctx" $ "key" (printf "cron-job-%s" $key))) -}}
{{- include "common.pod.unit" (dict "ctx" $ "role" "job" "key" $key "unit" $unit) }}
{{ include "common.context.object" $cronjob }}
spec:
  schedule: {{ $unit.schedule | quote }}
  suspend: {{ $unit.suspend | default false }}
  concurrencyPolicy: Forbid
  startingDeadlineSeconds: 600
  successfulJobsHistoryLimit: 1
  failedJobsHistoryLimit: 1
  jobTemplate:
    spec:
      backoffLimit: {{ dig "retries" 3 $unit | int64 }}
      template:
        metadata:
          labels:
            {{- include "common.context.selector" $cronjob | nindent 12 }}
          {{- with $unit.settings.annotations }}
          annotations:
            {{- toYaml . | nindent 12 }}
          {{- end }}
        spec:
          {{- include "common.pod.spec" $cronjob | nindent 10 }}
{{ end -}}
{{- end -}}
{{- end -}}
