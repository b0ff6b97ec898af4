{{- /*
The facts of what takes away again what the jobs of the release have `made` in other services. It is a cronjob that never runs by itself:
`kk remove --purge` makes a Job of it. `used` are the accounts that the release has, whoever made them.
*/ -}}
{{- define "common.jobs.cleanup" -}}
{{- $made := list -}}
{{- $variables := dict -}}
{{- range $key := list "register" "bus-create" "db-create" -}}
{{- if hasKey $.jobs $key -}}
{{- $facts := include (printf "common.jobs.%s" $key) $ | fromYaml -}}
{{- $made = concat $made $facts.makes -}}
{{- $variables = pick $facts.variables "DB_HOST" "DB_PORT" "DB_ADMIN_USER" "DB_ADMIN_PASSWORD" "BUS_HOST" "BUS_PORT" "BUS_ADMIN_USER" "BUS_ADMIN_PASSWORD" | merge $variables -}}
{{- end -}}
{{- end -}}
{{- $used := list -}}
{{- range $path, $_ := .used -}}
{{- $parts := splitList "." $path -}}
{{- $account := dict "ctx" $ "type" (first $parts) "user" (index $parts 1) "field" "username" "default" (index $parts 1) -}}
{{- if eq (len $parts) 3 -}}
{{- $used = append $used (dict "name" (include "common.endpoints.auth" $account) "at" (include "common.endpoints.host" $account)) -}}
{{- end -}}
{{- end -}}
{{- if $made -}}
script: cleanup.py
# The day that never comes.
schedule: "0 0 31 2 *"
suspend: true
annotations: {kk.openstack.org/cleanup: {{ dict "made" (uniq $made) "used" $used | toRawJson | quote }}}
{{- if hasKey .jobs "register" }}
login: admin
{{- end }}
variables: {{ merge (dict "CLEANUP" (dict "json" (uniq $made))) $variables | toJson }}
{{- end -}}
{{- end -}}
