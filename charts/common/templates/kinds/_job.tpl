{{- /* A Job under the name of its inputs. It stays when it is done: pods wait for it, also those of next year. */ -}}
{{- define "common.kinds.job" -}}
{{- $ctx := .ctx -}}
{{- $job := .job -}}
{{- $annotations := ternary (dict "kk.openstack.org/migration" "true") dict (not (empty $job.migration)) }}
---
apiVersion: batch/v1
kind: Job
{{ include "common.context.metadata" (dict "ctx" $ctx "name" $job.name "component" $job.key "annotations" $annotations) }}
spec:
  backoffLimit: {{ int64 $job.retries }}
  template:
    metadata:
      labels:
        {{- include "common.context.selector" (dict "ctx" $ctx "component" $job.key) | nindent 8 }}
    spec:
      {{- $job.spec | nindent 6 }}
{{ end -}}
