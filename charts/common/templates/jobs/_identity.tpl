{{- /* The OS_* variables by which clients log in as .user, as references for common.pod.env. */ -}}
{{- define "common.jobs.identity" -}}
OS_IDENTITY_API_VERSION: "3"
OS_INTERFACE: internal
OS_PASSWORD: {credential: identity.{{ .user }}.password}
{{- range $option, $value := omit (include "common.config.account" . | fromYaml) "password" }}
OS_{{ upper $option }}: {{ quote $value }}
{{- end }}
{{- end -}}
