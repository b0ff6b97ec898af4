{{- /* A public attribute of an account: .type, .user, .field; what it is called without one is .default. */ -}}
{{- define "common.endpoints.auth" -}}
{{- $entry := include "common.endpoints.entry" . | mustFromJson -}}
{{- dig "auth" .user .field (.default | default "") $entry -}}
{{- end -}}
