{{- /* "true" unless `manifests.<key>` is false; openstack-helm's switch. */ -}}
{{- define "common.context.enabled" -}}
{{- if ne (toString (dig (.key | replace "-" "_") true (.ctx.root.Values.manifests | default dict))) "false" -}}
true
{{- end -}}
{{- end -}}
