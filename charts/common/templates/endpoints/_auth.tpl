{{- /*
A public attribute of an account: .type, .user, .field; .default if the account does not have it.
*/ -}}
{{- define "common.endpoints.auth" -}}
{{- include "common.endpoints.entry" . | mustFromJson | dig "auth" .user .field (.default | default "") -}}
{{- end -}}
