{{- /*
The environment of a unit: the pod's own facts first, for later entries may refer to them as $(POD_IP); then the
secrets of its files; then its own and the user's (`pod.env.<unit>`). Sets .env, a list, and .digest of the unit.
*/ -}}
{{- define "common.pod.env" -}}
{{- $ctx := .ctx -}}
{{- $unit := .unit -}}
{{- $_ := set $unit "env" list -}}
{{- $_ := set $unit "digest" list -}}
{{- $fields := dict "POD_NAME" "metadata.name" "POD_NAMESPACE" "metadata.namespace" "POD_IP" "status.podIP" "NODE_NAME" "spec.nodeName" -}}
{{- range $name, $field := $fields -}}
{{- $_ := set $unit "env" (append $unit.env (dict "name" $name "valueFrom" (dict "fieldRef" (dict "fieldPath" $field)))) -}}
{{- end -}}
{{- if $unit.kolla -}}
{{- $_ := set $unit "env" (append $unit.env (dict "name" "KOLLA_CONFIG_STRATEGY" "value" "COPY_ONCE")) -}}
{{- if eq $unit.role "job" -}}
{{- $_ := set $unit "env" (append $unit.env (dict "name" "KOLLA_SKIP_EXTEND_START" "value" "")) -}}
{{- end -}}
{{- else -}}
{{- $_ := set $unit "env" (append $unit.env (dict "name" "HOME" "value" "/tmp")) -}}
{{- end -}}
{{- range $key := $unit.files -}}
{{- $file := get $ctx.files $key -}}
{{- range $name, $value := $file.env -}}
{{- if include "common.pod.env.read" (dict "unit" $unit "variable" $name) -}}
{{- include "common.pod.env.secret" (dict "ctx" $ctx "unit" $unit "name" $name "key" (printf "%s.%s" $file.key $name) "value" $value) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $own := dict -}}
{{- if include "common.pod.env.logless" (dict "ctx" $ctx "unit" $unit) -}}
{{- $own = dict "OS_DEFAULT__LOG_DIR" "" "OS_DEFAULT__LOG_FILE" "" "OS_DEFAULT__USE_STDERR" "true" -}}
{{- end -}}
{{- include "common.context.merge" (dict "into" $own "from" $unit.identity) -}}
{{- include "common.context.merge" (dict "into" $own "from" $unit.variables) -}}
{{- include "common.context.merge" (dict "into" $own "from" (include "common.context.pick" (dict "ctx" $ctx "key" $unit.key "of" $ctx.values.pod.env) | mustFromJson)) -}}
{{- range $name, $value := $own -}}
{{- include "common.pod.env.variable" (dict "ctx" $ctx "unit" $unit "name" $name "value" $value) -}}
{{- end -}}
{{- end -}}
