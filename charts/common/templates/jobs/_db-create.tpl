{{- /* The facts of the job that creates the chart's `databases` and their users. */ -}}
{{- define "common.jobs.db-create" -}}
{{- $at := include "common.endpoints.host" (dict "ctx" . "type" "oslo_db") -}}
{{- $made := list -}}
script: db-create.py
needs: [oslo_db]
variables:
  DB_HOST: {host: oslo_db}
  DB_PORT: {port: oslo_db.mysql}
  DB_ADMIN_USER: {auth: oslo_db.admin.username}
  DB_ADMIN_PASSWORD: {credential: oslo_db.admin.password}
  {{- $databases := list }}
  {{- range $name, $database := .root.Values.databases }}
  {{- $user := $database.user | default $name }}
  {{- $variable := printf "DB_PASSWORD_%s" (upper $user | replace "-" "_") }}
  {{- $account := include "common.endpoints.auth" (dict "ctx" $ "type" "oslo_db" "user" $user "field" "username" "default" $user) }}
  {{- $made = concat $made (list (dict "kind" "database" "name" $name "at" $at) (dict "kind" "account" "name" $account "at" $at)) }}
  {{- $databases = append $databases (dict "name" $name "user" $account "password" $variable) }}
  {{ $variable }}: {credential: oslo_db.{{ $user }}.password}
  {{- end }}
  DATABASES: {json: {{ toJson $databases }}}
makes: {{ toJson $made }}
{{- end -}}
