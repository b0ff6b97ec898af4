{{- /* `cronjobs.<name>`: the facts of a job, and a schedule; and `cleanup`. Its template may change, so its name need not. */ -}}
{{- define "common.kinds.cronjobs" -}}
{{- $ctx := . -}}
{{- $all := dict "cleanup" (include "common.jobs.cleanup" . | fromYaml) -}}
{{- include "common.context.merge" (dict "into" $all "from" .root.Values.cronjobs) -}}
{{- range $key, $facts := $all -}}
{{- if and $facts (include "common.context.enabled" (dict "ctx" $ctx "key" (printf "cron-job-%s" $key))) -}}
{{- $unit := deepCopy $facts -}}
{{- $_ := set $unit "restart" "OnFailure" -}}
{{- include "common.pod.unit" (dict "ctx" $ctx "role" "job" "key" $key "unit" $unit) }}
---
apiVersion: batch/v1
kind: CronJob
{{ include "common.context.metadata" (dict "ctx" $ctx "name" $unit.name "component" $key "annotations" $unit.annotations) }}
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
            {{- include "common.context.selector" (dict "ctx" $ctx "component" $key) | nindent 12 }}
        spec:
          {{- include "common.pod.spec" (dict "ctx" $ctx "unit" $unit) | nindent 10 }}
{{ end -}}
{{- end -}}
{{- end -}}
