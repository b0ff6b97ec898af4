{{- /* The name of a Secret of this release (`env`, `files`); `secrets.<key>` names one that somebody else keeps. */ -}}
{{- define "common.context.secret" -}}
{{- dig "secrets" .key "" .ctx.values | default (include "common.context.name" .) -}}
{{- end -}}
