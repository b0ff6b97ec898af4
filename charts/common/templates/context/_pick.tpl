{{- /*
The value for a component in a map of openstack-helm's, as JSON: .of.<component>, else
.of.<service>_<component> (both are used there), else .of.<service>, else .of.default, else null. The service
is the chart's, unless .service has another name.
*/ -}}
{{- define "common.context.pick" -}}
{{- $found := "null" -}}
{{- $service := .service | default .ctx.chart -}}
{{- range $name := list "default" $service ($service | replace "-" "_") (printf "%s_%s" .ctx.chart .key | replace "-" "_") (.key | replace "-" "_") .key -}}
{{- if hasKey ($.of | default dict) $name -}}
{{- $found = toJson (get $.of $name) -}}
{{- end -}}
{{- end -}}
{{- $found -}}
{{- end -}}
