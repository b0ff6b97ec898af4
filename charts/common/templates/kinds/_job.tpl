{{- /*
A Job, named after its inputs. It is kept after it completes, because pods wait for it at any later time.
*/ -}}
{{- define "common.kinds.job" }}
{{- $annotations := ternary (dict "kk.openstack.org/migration" "true") dict (not (empty .unit.migration)) }}
{{- if .unit.dumps }}
{{- $_ := set $annotations "kk.openstack.org/dumps" .ctx.values.dumps.claim }}
{{- end }}
{{ include "common.context.object" (merge (dict "kind" "batch/v1 Job" "annotations" $annotations) .) }}
spec:
  backoffLimit: {{ int64 .unit.retries }}
  template:
    metadata:
      labels:
        {{- include "common.context.selector" . | nindent 8 }}
      {{- with .unit.annotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      {{- .unit.spec | nindent 6 }}
{{ end -}}
