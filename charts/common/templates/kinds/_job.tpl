{{- /* A Job under the name of its inputs. It stays when it is done: pods wait for it, also those of next year. */ -}}
{{- define "common.kinds.job" }}
{{- $annotations := ternary (dict "kk.openstack.org/migration" "true") dict (not (empty .unit.migration)) }}
{{ include "common.context.object" (merge (dict "kind" "batch/v1 Job" "annotations" $annotations) .) }}
spec:
  backoffLimit: {{ int64 .unit.retries }}
  template:
    metadata:
      labels:
        {{- include "common.context.selector" . | nindent 8 }}
    spec:
      {{- .unit.spec | nindent 6 }}
{{ end -}}
