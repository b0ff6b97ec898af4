{{- /*
The only entry point: a chart's templates/ is one file that includes this. The context (merged values,
endpoints, contents of files, jobs with their names) is built once and passed down, never computed again. On
the way it collects the contents of the release's ConfigMaps and Secrets. If a section is several releases,
objects are named for it (`kk.section`), and each release renders those of its `kk.components`: of a
component, of `common`, which is what belongs to no component, or of `rollout`, the jobs that run after the
components and the component `status`.
*/ -}}
{{- define "common.chart" -}}
{{- $kk := .Values.kk | default dict -}}
{{- $ctx := dict
  "root" . "chart" .Chart.Name "release" ($kk.section | default .Release.Name) "namespace" .Release.Namespace
  "configmaps" (dict "etc" dict "bin" dict) "secrets" (dict "env" dict "files" dict)
  "accounts" dict "gates" list "gated" dict "used" dict "jobs" dict -}}
{{- include "common.context.values" $ctx -}}
{{- include "common.context.groups" $ctx -}}
{{- include "common.config.files" $ctx -}}
{{- include "common.jobs.resolve" $ctx -}}
{{- include "common.context.status" $ctx -}}
{{- include "common.context.components" $ctx -}}
{{- include "common.context.groups.units" $ctx -}}
{{- $shown := $kk.components | default (concat (keys $ctx.components) (list "common" "rollout")) -}}
{{- range $unit := $ctx.components }}
{{- $objects := "" }}
{{- range list "workload" "service" "ingress" "ingressclass" "pdb" "networkpolicy" "pvc" "storageclass" }}
{{- $objects = print $objects (include (printf "common.kinds.%s" .) (dict "ctx" $ctx "unit" $unit)) }}
{{- end }}
{{- range $unit.groups }}
{{- $objects = print $objects (include "common.kinds.workload" .) }}
{{- end }}
{{- if has (ternary "rollout" $unit.key ($unit.is_status | default false)) $shown }}{{ $objects }}{{ end }}
{{- end }}
{{- range $ctx.jobs }}
{{- if has .part $shown }}{{ include "common.kinds.job" (dict "ctx" $ctx "unit" .) }}{{ end }}
{{- end }}
{{- range ternary (list "cronjobs" "dumps" "tests" "configmaps" "secrets" "certificate" "rbac" "monitors" "extra") list (has "common" $shown) }}
{{- include (printf "common.kinds.%s" .) $ctx }}
{{- end }}
{{- include "common.kinds.removal" $ctx }}
{{- end -}}
