{{- /*
What `tls` changes, below all that a deployer says of an endpoint: what speaks HTTP is asked by HTTPS, and OVN's databases by ssl, inside
(`internal`) and, if it has a name there, outside (`public`); an address is no name. Inside, components get what their facts say for it (`tls`). One that serves what is
in the clear is refused, unless `tls.plain` names its endpoint.
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
{{- fail (printf "tls.plain: %s is served by TLS: leave it out of the list" $what) -}}
{{- else if and (or $component.endpoint $component.ports) (not $knows) (not (has $what $tls.plain)) -}}
{{- fail (printf "tls.internal: %s of %s knows no TLS and serves %s in the clear: name %s in tls.plain if it is to stay so, with what else docs/tls.md lists, or leave %s out" $key $.chart $what $what $.chart) -}}
{{- end -}}
{{- include "common.context.merge" (dict "into" $component "from" $component.tls) -}}
{{- end -}}
{{- end -}}
