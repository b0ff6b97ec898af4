{{- /* The facts of the job that creates the account of the service on the message bus. */ -}}
{{- define "common.jobs.bus-create" -}}
{{- $bus := dict "ctx" . "type" "oslo_messaging" "user" .chart "default" .chart -}}
{{- $host := include "common.endpoints.value" (merge (dict "attribute" "path") $bus) | trimPrefix "/" -}}
{{- $user := include "common.endpoints.auth" (merge (dict "field" "username") $bus) -}}
script: bus-create.py
needs: [oslo_messaging]
makes: {{ list (dict "kind" "bus user" "name" $user "virtualHost" $host "at" (include "common.endpoints.host" $bus)) | toJson }}
variables:
  BUS_HOST: {host: oslo_messaging}
  BUS_PORT: {port: oslo_messaging.http}
  BUS_ADMIN_USER: {auth: oslo_messaging.admin.username}
  BUS_ADMIN_PASSWORD: {credential: oslo_messaging.admin.password}
  BUS_USER: {{ quote $user }}
  BUS_PASSWORD: {credential: oslo_messaging.{{ .chart }}.password}
  BUS_VIRTUAL_HOST: {{ quote $host }}
{{- end -}}
