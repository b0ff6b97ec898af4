{{- /*
The facts of what takes away again what the jobs of the release have `made` in other services. It is a cronjob that never runs by itself:
`kk remove --purge` makes a Job of it. `used` are the accounts that the release has, whoever made them.
*/ -}}
{{- define "common.jobs.cleanup" -}}
{{- $made := list -}}
{{- $variables := dict -}}
{{- if hasKey .jobs "register" -}}
{{- $wanted := (include "common.jobs.register" . | fromYaml).variables.REGISTRATION.json -}}
{{- range $kind := list "service" "domain" "user" -}}
{{- range get $wanted (printf "%ss" $kind) -}}
{{- $place := dict "kind" $kind "region" $wanted.region "at" (include "common.endpoints.host" (dict "ctx" $ "type" "identity")) -}}
{{- $made = append $made (merge $place (pick . "name" "type" "domain")) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if hasKey .jobs "db-create" -}}
{{- $variables = (include "common.jobs.db-create" . | fromYaml).variables -}}
{{- range $variables.DATABASES.json -}}
{{- $at := include "common.endpoints.host" (dict "ctx" $ "type" "oslo_db") -}}
{{- $made = concat $made (list (dict "kind" "database" "name" .name "at" $at) (dict "kind" "account" "name" .user "at" $at)) -}}
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
variables: {{ merge (dict "CLEANUP" (dict "json" (uniq $made))) (pick $variables "DB_HOST" "DB_PORT" "DB_ADMIN_USER" "DB_ADMIN_PASSWORD") | toJson }}
{{- end -}}
{{- end -}}
