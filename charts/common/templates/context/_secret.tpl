{{- /*
The name of a Secret of this release (`env`, `files`); `secrets.<key>` names one that another owner manages.
*/ -}}
{{- define "common.context.secret" -}}
{{- dig "secrets" .key "" .ctx.values | default (include "common.context.name" .) -}}
{{- end -}}

{{- /*
"true" if the annotations of an Ingress make cert-manager request its certificate. cert-manager refuses
Ingresses that share a Secret, so each has another.
*/ -}}
{{- define "common.context.issued" -}}
{{- $annotations := .annotations | default dict -}}
{{- if or (hasKey $annotations "cert-manager.io/cluster-issuer") (hasKey $annotations "cert-manager.io/issuer") -}}
true
{{- end -}}
{{- end -}}

{{- /* The name of the Secret with the certificate of the release. */ -}}
{{- define "common.context.certificate" -}}
{{- .values.tls.secret | default (include "common.context.name" (dict "ctx" . "key" "tls")) -}}
{{- end -}}
