{{- /*
The certificate of the release, with which it serves and is a client (`tls`): a Secret of the files that kk
creates or the deployer has (`files`), or one that cert-manager fills (`issuer`); nothing if the deployer has
created the Secret (`secret`). Without TLS inside, an issuer is only asked for public names: one such as Let's
Encrypt signs no others.
*/ -}}
{{- define "common.kinds.certificate" -}}
{{- $tls := .values.tls -}}
{{- $names := ternary (list (printf "servers.%s.svc.%s" $.namespace $.endpoints.cluster_domain_suffix)) list $tls.internal -}}
{{- $web := false -}}
{{- range $unit := .components -}}
{{- $services := ternary (list $unit.name (printf "*.%s-peers" $unit.name)) (list $unit.name) (eq $unit.kind "StatefulSet") -}}
{{- range ternary $services list $tls.internal -}}
{{- $names = append $names (printf "%s.%s.svc.%s" . $.namespace $.endpoints.cluster_domain_suffix) -}}
{{- end -}}
{{- range $type, $_ := ternary (omit $.endpoints "cluster_domain_suffix") dict (not (empty $unit.controller)) -}}
{{- $names = append $names (include "common.endpoints.value" (dict "ctx" $ "type" $type "attribute" "host_fqdn_override" "interface" "public")) -}}
{{- end -}}
{{- with $unit.endpoint -}}
{{- $endpoint := dict "ctx" $ "type" . -}}
{{- $web = or $web (hasPrefix "http" (include "common.endpoints.value" (merge (dict "attribute" "scheme") $endpoint))) -}}
{{- $public := merge (dict "interface" "public") $endpoint -}}
{{- if $tls.internal -}}
{{- $names = concat $names (list (include "common.endpoints.host" $endpoint) (include "common.endpoints.host" $public)) -}}
{{- end -}}
{{- $host := include "common.endpoints.value" (merge (dict "attribute" "host_fqdn_override") $public) -}}
{{- $names = append $names (ternary "" $host (regexMatch "^[0-9.]+$|:" $host)) -}}
{{- end -}}
{{- end -}}
{{- $names = compact $names | uniq -}}
{{- if and (not $tls.secret) (or $tls.internal (and $tls.public $web (or $names (not $tls.issuer)))) }}
{{- $kind := ternary "cert-manager.io/v1 Certificate" "v1 Secret" (not (empty $tls.issuer)) }}
{{ include "common.context.object" (dict "kind" $kind "ctx" . "name" (include "common.context.certificate" .)) }}
{{- if $tls.issuer }}
spec: {{ dict "secretName" (include "common.context.certificate" .) "issuerRef" $tls.issuer "dnsNames" $names "usages" (list "server auth" "client auth") | toJson }}
{{- else }}
type: kubernetes.io/tls
data:
  {{- range list "ca.crt" "tls.crt" "tls.key" }}
  {{ . }}: {{ get $tls.files . | required (printf "tls.files: %s is needed and not set: kk makes it, or give a certificate in tls.files, the name of its Secret in tls.secret, or an issuer of cert-manager in tls.issuer" .) | b64enc }}
  {{- end }}
{{- end }}
{{ end -}}
{{- end -}}
