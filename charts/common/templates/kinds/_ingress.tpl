{{- /*
The Ingress of a component (`network.<component>.ingress`, or `ingress` for all public ones), under the public
name of its endpoint. An endpoint with an address instead of a name has none.
*/ -}}
{{- define "common.kinds.ingress" -}}
{{- $ingress := .unit.network.ingress -}}
{{- if and $ingress.enabled .unit.endpoint }}
{{- $host := include "common.endpoints.value" (dict "ctx" .ctx "type" .unit.endpoint "attribute" "host_fqdn_override" "interface" "public")
  | required (printf "network.%s.ingress needs the name that clients outside use: ingress.domain, or endpoints.%s.host_fqdn_override.public.host" .unit.key .unit.endpoint) }}
{{- if not (regexMatch "^[0-9.]+$|:" $host) }}
{{ include "common.context.object" (merge (dict "kind" "networking.k8s.io/v1 Ingress" "annotations" $ingress.annotations) .) }}
spec:
  {{- with $ingress.class }}
  ingressClassName: {{ . }}
  {{- end }}
  {{- with $ingress.tls_secret | default (ternary (include "common.context.certificate" .ctx) "" .ctx.values.tls.public) }}
  tls: [{hosts: [{{ $host }}], secretName: {{ . }}}]
  {{- end }}
  rules:
    - host: {{ $host }}
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service: {name: {{ .unit.name }}, port: {name: {{ .unit.main }}}}
{{ end -}}
{{- end -}}
{{- end -}}

{{- /*
The class of a component that is an ingress controller (`controller`); its name, `ingress.class`, is the same
for all charts.
*/ -}}
{{- define "common.kinds.ingressclass" -}}
{{- with .unit.controller }}
{{ include "common.context.object" (merge (dict "kind" "networking.k8s.io/v1 IngressClass" "name" $.ctx.values.ingress.class) $) }}
spec: {controller: {{ . }}}
{{ end -}}
{{- end -}}
