{{- /*
What brings clients from outside to a component (`network.<component>.ingress`), under the public name of its endpoint, by
an ingress controller that the cluster has.
*/ -}}
{{- define "common.kinds.ingress" -}}
{{- $ingress := .unit.network.ingress | default dict -}}
{{- if and $ingress.enabled .unit.endpoint }}
{{- $host := include "common.endpoints.value" (dict "ctx" .ctx "type" .unit.endpoint "attribute" "host_fqdn_override" "interface" "public") -}}
{{- if not $host -}}
{{- fail (printf "network.%s.ingress needs the name that clients outside use: endpoints.%s.host_fqdn_override.public.host" .unit.key .unit.endpoint) -}}
{{- end }}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
{{ include "common.context.metadata" (dict "ctx" .ctx "unit" .unit "annotations" $ingress.annotations) }}
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
