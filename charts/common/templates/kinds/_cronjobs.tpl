{{- /*
`cronjobs.<name>`: the facts of a job, and a schedule; `cleanup`; `db-restore`. Without a schedule it never runs by
itself (February 31): kk or an administrator creates Jobs from it. Its template is mutable, so its name has no hash.
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
  schedule: {{ $unit.schedule | default "0 0 31 2 *" | quote }}
  suspend: {{ empty $unit.schedule }}
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
