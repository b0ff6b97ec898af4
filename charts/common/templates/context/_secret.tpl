{{- /*
The name of a Secret of this release (`env`, `files`); `secrets.<key>` names one that another owner manages.
*/ -}}
{{- define "common.context.secret" -}}
{{- dig "secrets" .key "" .ctx.values | default (include "common.context.name" .) -}}
{{- end -}}

{{- /* The name of the Secret with the certificate of the release. */ -}}
{{- define "common.context.certificate" -}}
{{- .values.tls.secret | default (include "common.context.name" (dict "ctx" . "key" "tls")) -}}
{{- end -}}
