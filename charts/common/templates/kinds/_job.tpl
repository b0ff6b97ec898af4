{{- /* A Job under the name of its inputs. It stays when it is done: pods wait for it, also those of next year. */ -}}
{{- define "common.kinds.job" }}
---
apiVersion: batch/v1
kind: Job
{{ include "common.context.metadata" (dict "ctx" .ctx "unit" .unit "annotations" (ternary (dict "kk.openstack.org/migration" "true") dict (not (empty .unit.migration)))) }}
spec:
  backoffLimit: {{ int64 .unit.retries }}
  template:
    metadata:
      labels:
        {{- include "common.context.selector" . | nindent 8 }}
    spec:
      {{- .unit.spec | nindent 6 }}
{{ end -}}
