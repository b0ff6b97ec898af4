{{- /*
Sets .services and .waits of the unit, for which it waits before it starts: the services behind its files'
blocks and its `needs`, and jobs by their full names: those in `after`, or, for a component, all for which
pods wait. `dependencies.static.<unit>` adds more, in openstack-helm's form.
*/ -}}
{{- define "common.pod.waits" -}}
{{- $static := include "common.context.pick" (dict "ctx" .ctx "key" .unit.key "of" .ctx.values.dependencies.static) | mustFromJson | default dict -}}
{{- $types := .unit.needs | default list -}}
{{- $keys := .unit.after | default list -}}
{{- if eq .unit.role "component" -}}
{{- range ternary list .unit.files (.unit.is_status | default false) -}}
{{- $types = concat $types (dig . "needs" list $.ctx.files) -}}
{{- end -}}
{{- range $key, $job := .ctx.jobs -}}
{{- if and $job.gate (not (hasKey $.unit "after")) -}}{{- $keys = append $keys $key -}}{{- end }}{{ end }}{{ end -}}
{{- range $static.services -}}
{{- $types = append $types .service -}}
{{- end -}}
{{- $services := list -}}
{{- range $type := without ($types | uniq | sortAlpha) .unit.endpoint -}}
{{- $services = append $services (include "common.endpoints.service" (dict "ctx" $.ctx "type" $type)) | compact -}}
{{- end -}}
{{- $names := list -}}
{{- range $key := concat $keys ($static.jobs | default list) | uniq -}}
{{- if hasKey $.ctx.jobs $key -}}
{{- $names = append $names (get $.ctx.jobs $key).name -}}
{{- else if include "common.context.enabled" (dict "ctx" $.ctx "key" (printf "job-%s" $key)) -}}
{{- fail (printf "%s waits for job %q, which this chart does not have" $.unit.key $key) -}}
{{- end -}}
{{- end -}}
{{- range ternary $services (prepend $services .ctx.namespace) (empty $names) -}}
{{- $_ := set $.ctx "gates" (append $.ctx.gates (splitList ":" . | first)) -}}
{{- $_ := set $.ctx.gated $.unit.account true -}}
{{- end -}}
{{- $_ := set .unit "services" $services -}}
{{- $_ := set .unit "waits" $names -}}
{{- end -}}
