{{- /*
The Ingress of a component (`network.<component>.ingress`, or `ingress` for all public ones), under the public
name of its endpoint, or its HTTPRoute if there is a `gateway`, whose listener has the certificate. An endpoint
with an address instead of a name has none.
*/ -}}
{{- define "common.kinds.ingress" -}}
{{- $ingress := .unit.network.ingress -}}
{{- if and $ingress.enabled .unit.endpoint }}
{{- $host := include "common.endpoints.value" (dict "ctx" .ctx "type" .unit.endpoint "attribute" "host_fqdn_override" "interface" "public")
  | required (printf "network.%s.ingress needs the name that clients outside use: ingress.domain, or endpoints.%s.host_fqdn_override.public.host" .unit.key .unit.endpoint) }}
{{- if not (regexMatch "^[0-9.]+$|:" $host) }}
{{- if $ingress.gateway }}
{{- $gateway := splitList "/" $ingress.gateway }}
{{- $parent := dict "name" (last $gateway) | merge (ternary (dict "namespace" (first $gateway)) dict (eq (len $gateway) 2)) }}
{{- $port := (get .unit.served .unit.main).service | int64 }}
{{ include "common.context.object" (merge (dict "kind" "gateway.networking.k8s.io/v1 HTTPRoute" "annotations" $ingress.annotations) .) }}
spec:
  parentRefs: [{{ toJson $parent }}]
  hostnames: [{{ $host }}]
  rules:
    - backendRefs: [{name: {{ .unit.name }}, port: {{ $port }}}]
{{ else }}
{{ include "common.context.object" (merge (dict "kind" "networking.k8s.io/v1 Ingress" "annotations" $ingress.annotations) .) }}
spec:
  {{- with $ingress.class }}
  ingressClassName: {{ . }}
  {{- end }}
  {{- $own := ternary (include "common.context.certificate" .ctx) "" .ctx.values.tls.public }}
  {{- with $ingress.tls_secret | default (ternary (printf "%s-public-tls" .unit.name) $own (include "common.context.issued" $ingress | eq "true")) }}
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
