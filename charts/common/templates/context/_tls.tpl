{{- /*
What `tls` changes, below all that a deployer says of an endpoint: what speaks HTTP is asked by HTTPS, and OVN's databases by ssl, inside
(`internal`) and, if it has a name there, outside (`public`). Inside, components get what their facts say for it (`tls`). One that serves what is
in the clear is refused, unless `tls.plain` names its endpoint.
*/ -}}
{{- define "common.context.tls" -}}
{{- $tls := .values.tls -}}
{{- range $type, $entry := ternary .endpoints dict (or $tls.public $tls.internal) -}}
{{- $scheme := ternary $entry dict (kindIs "map" $entry) | dig "scheme" "default" "" -}}
{{- $secure := get (dict "http" "https" "tcp" "ssl") $scheme -}}
{{- if and $secure (dig "host_fqdn_override" "public" "" $entry) -}}
{{- $_ := set $entry.scheme "public" ($entry.scheme.public | default (ternary $secure $scheme $tls.public)) -}}
{{- range $port := ternary $entry.port dict $tls.public -}}
{{- $_ := set $port "public" ($port.public | default 443) -}}
{{- end -}}
{{- end -}}
{{- if and $secure $tls.internal -}}
{{- $_ := set $entry.scheme "default" $secure -}}
{{- end -}}
{{- end -}}
{{- range $key, $component := ternary .root.Values.components dict $tls.internal -}}
{{- with $component -}}
{{- if not (or .wsgi (hasKey . "tls") (not .endpoint) (has .endpoint $tls.plain)) -}}
{{- fail (printf "tls.internal: %s of %s serves %s in the clear, and knows no TLS: leave it out, or name %s in tls.plain if it is to stay so" $key $.chart .endpoint .endpoint) -}}
{{- end -}}
{{- include "common.context.merge" (dict "into" . "from" .tls) -}}
{{- end -}}
{{- end -}}
{{- end -}}
