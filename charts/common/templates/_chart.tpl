{{- /*
The only entry point: a chart's templates/ is one file that includes this. The context is built once
(merged values, endpoints, text of the files, jobs with their names) and handed down, never computed again.
*/ -}}
{{- define "common.chart" -}}
{{- $ctx := dict "root" . "chart" .Chart.Name "release" .Release.Name "namespace" .Release.Namespace "secrets" dict "scripts" dict "configs" dict "accounts" dict "gates" list "gated" dict "used" dict -}}
{{- include "common.context.values" $ctx -}}
{{- include "common.config.files" $ctx -}}
{{- include "common.jobs.resolve" $ctx -}}
{{- include "common.context.components" $ctx -}}
{{- range $_, $unit := $ctx.components }}
{{- include (printf "common.kinds.%s" (lower $unit.kind)) (dict "ctx" $ctx "unit" $unit) }}
{{- include "common.kinds.service" (dict "ctx" $ctx "unit" $unit) }}
{{- include "common.kinds.ingress" (dict "ctx" $ctx "unit" $unit) }}
{{- include "common.kinds.pdb" (dict "ctx" $ctx "unit" $unit) }}
{{- include "common.kinds.networkpolicy" (dict "ctx" $ctx "unit" $unit) }}
{{- include "common.kinds.pvc" (dict "ctx" $ctx "unit" $unit) }}
{{- end }}
{{- range $_, $job := $ctx.jobs }}
{{- include "common.kinds.job" (dict "ctx" $ctx "job" $job) }}
{{- end }}
{{- include "common.kinds.cronjobs" $ctx }}
{{- include "common.kinds.tests" $ctx }}
{{- include "common.kinds.configmaps" $ctx }}
{{- include "common.kinds.secrets" $ctx }}
{{- include "common.kinds.rbac" $ctx }}
{{- include "common.kinds.removal" $ctx }}
{{- end -}}
