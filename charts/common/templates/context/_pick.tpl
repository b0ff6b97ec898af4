{{- /*
The value for a component in a map of openstack-helm's, as JSON: .of.<component>, else .of.<service>_<component>
(both are in use there), else .of.<service>, else .of.default, else null.
*/ -}}
{{- define "common.context.pick" -}}
{{- $of := .of | default dict -}}
{{- $found := "null" -}}
{{- range $name := list .key (.key | replace "-" "_") (printf "%s_%s" .ctx.chart .key | replace "-" "_") .ctx.chart "default" -}}
{{- if hasKey $of $name -}}
{{- $found = toJson (get $of $name) -}}
{{- break -}}
{{- end -}}
{{- end -}}
{{- $found -}}
{{- end -}}
