{{- /* A public attribute of an account: .type, .user, .field; what it is called without one is .default. */ -}}
{{- define "common.endpoints.auth" -}}
{{- include "common.endpoints.entry" . | mustFromJson | dig "auth" .user .field (.default | default "") -}}
{{- end -}}
