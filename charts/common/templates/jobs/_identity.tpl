{{- /* The OS_* variables by which clients log in as .user, as references for common.pod.env. */ -}}
{{- define "common.jobs.identity" -}}
OS_AUTH_TYPE: password
OS_AUTH_URL: {uri: identity.internal}
OS_IDENTITY_API_VERSION: "3"
OS_INTERFACE: internal
OS_REGION_NAME: {value: region}
OS_USERNAME: {auth: identity.{{ .user }}.username, default: {{ .user }}}
OS_PASSWORD: {credential: identity.{{ .user }}.password}
OS_PROJECT_NAME: {auth: identity.{{ .user }}.project_name, default: service}
OS_USER_DOMAIN_NAME: {auth: identity.{{ .user }}.user_domain_name, default: Default}
OS_PROJECT_DOMAIN_NAME: {auth: identity.{{ .user }}.project_domain_name, default: Default}
{{- end -}}
