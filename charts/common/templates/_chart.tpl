{{- /*
The only entry point: a chart's templates/ is one file that includes this. The context is built once
(merged values, endpoints, text of the files, jobs with their names) and handed down, never computed again.
What the release's ConfigMaps and Secrets hold is gathered in it on the way.
*/ -}}
{{- define "common.chart" -}}
{{- $ctx := dict
  "root" . "chart" .Chart.Name "release" .Release.Name "namespace" .Release.Namespace
  "configmaps" (dict "etc" dict "bin" dict) "secrets" (dict "env" dict "files" dict)
  "accounts" dict "gates" list "gated" dict "used" dict -}}
{{- include "common.context.values" $ctx -}}
{{- include "common.config.files" $ctx -}}
{{- include "common.jobs.resolve" $ctx -}}
{{- include "common.context.components" $ctx -}}
{{- range $ctx.components }}
{{- $component := dict "ctx" $ctx "unit" . }}
{{- include "common.kinds.workload" $component }}
{{- include "common.kinds.service" $component }}
{{- include "common.kinds.ingress" $component }}
{{- include "common.kinds.pdb" $component }}
{{- include "common.kinds.networkpolicy" $component }}
{{- include "common.kinds.pvc" $component }}
{{- end }}
{{- range $ctx.jobs }}
{{- include "common.kinds.job" (dict "ctx" $ctx "unit" .) }}
{{- end }}
{{- include "common.kinds.cronjobs" $ctx }}
{{- include "common.kinds.tests" $ctx }}
{{- include "common.kinds.configmaps" $ctx }}
{{- include "common.kinds.secrets" $ctx }}
{{- include "common.kinds.rbac" $ctx }}
{{- include "common.kinds.removal" $ctx }}
{{- end -}}
