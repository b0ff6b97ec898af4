{{- /*
The changes of `tls`, which a deployer's settings of an endpoint override: endpoints with HTTP get HTTPS, and
OVN's databases ssl, inside (`internal`) and, if they have a name there and not an address, outside
(`public`). Inside, components get the changes in their facts (`tls`). A component that serves an endpoint
without TLS is refused, unless `tls.plain` names the endpoint.
*/ -}}
{{- define "common.context.tls" -}}
{{- $tls := .values.tls -}}
{{- range $type, $entry := ternary .endpoints dict (or $tls.public $tls.internal) -}}
{{- $scheme := ternary $entry dict (kindIs "map" $entry) | dig "scheme" "default" "" -}}
{{- with get (dict "http" "https" "tcp" "ssl") $scheme -}}
{{- if not (include "common.endpoints.value" (dict "ctx" $ "type" $type "attribute" "host_fqdn_override" "interface" "public") | regexMatch "^[0-9.]*$|:") -}}
{{- $_ := set $entry.scheme "public" ($entry.scheme.public | default (ternary . $scheme $tls.public)) -}}
{{- range ternary $entry.port dict $tls.public }}{{ $_ := set . "public" (.public | default 443) }}{{ end -}}
{{- end -}}
{{- if and $tls.internal (not (has $type $tls.plain)) -}}
{{- $_ := set $entry.scheme "default" . -}}
{{- $_ := set $entry "https" (eq . "https") -}}
{{- end }}{{ end }}{{ end -}}
{{- range $key, $facts := ternary .root.Values.components dict $tls.internal -}}
{{- $component := $facts | default dict -}}
{{- $what := $component.endpoint | default (printf "%s-%s" $.chart $key) -}}
{{- $knows := or $component.wsgi (hasKey $component "tls") -}}
{{- if and (has $what $tls.plain) $knows -}}
{{- fail (printf "tls.plain: %s is served by TLS: remove it from the list" $what) -}}
{{- else if and (or $component.endpoint $component.ports) (not $knows) (not (has $what $tls.plain)) -}}
{{- fail (printf "tls.internal: %s of %s does not support TLS and serves %s unencrypted: add %s to tls.plain to accept this, with the others that kk docs tls lists, or omit %s" $key $.chart $what $what $.chart) -}}
{{- end -}}
{{- include "common.context.merge" (dict "into" $component "from" $component.tls) -}}
{{- end -}}
{{- end -}}
