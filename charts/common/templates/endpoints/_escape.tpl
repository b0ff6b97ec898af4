{{- /* Text for the user part of a URL (RFC 3986), where a plus is a plus. */ -}}
{{- define "common.endpoints.escape" -}}
{{- . | urlquery | replace "+" "%20" -}}
{{- end -}}
