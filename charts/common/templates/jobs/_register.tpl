{{- /*
The facts of the job that registers the chart's `registration` in keystone: services, endpoints, domains,
users, roles.
*/ -}}
{{- define "common.jobs.register" -}}
{{- $place := dict "at" (include "common.endpoints.host" (dict "ctx" . "type" "identity")) "region" .values.region -}}
{{- $made := list -}}
{{- $services := list -}}
{{- range $name, $service := .root.Values.registration.services -}}
{{- $type := $service.endpoint | default $service.type | replace "-" "_" -}}
{{- $urls := dict "internal" (include "common.endpoints.uri" (dict "ctx" $ "type" $type)) "public" (include "common.endpoints.uri" (dict "ctx" $ "type" $type "interface" "public")) -}}
{{- $services = append $services (dict "name" $name "type" $service.type "description" ($service.description | default "") "urls" $urls) -}}
{{- end -}}
{{- $users := list -}}
{{- $passwords := dict -}}
{{- range $name, $user := .root.Values.registration.users -}}
{{- $variable := printf "PASSWORD_%s" (upper $name | replace "-" "_") -}}
{{- $_ := set $passwords $variable (dict "credential" (printf "identity.%s.password" $name)) -}}
{{- $account := include "common.config.account" (dict "ctx" $ "user" $name) | fromYaml -}}
{{- $roles := include "common.endpoints.auth" (dict "ctx" $ "type" "identity" "user" $name "field" "role" "default" ($user.role | default "admin")) -}}
{{- $users = append $users (dict
  "name" $account.username "project" $account.project_name "domain" $account.user_domain_name "roles" (splitList "," $roles) "password" $variable) -}}
{{- end -}}
{{- $domains := list -}}
{{- range $name, $domain := .root.Values.registration.domains -}}
{{- $_ := set $passwords (printf "PASSWORD_%s" (upper $domain.account)) (dict "credential" (printf "identity.%s.password" $domain.account)) -}}
{{- $domains = append $domains (dict "name" $name "administrator" $domain.administrator "password" (printf "PASSWORD_%s" (upper $domain.account))) -}}
{{- end -}}
{{- range $kind, $things := dict "service" $services "domain" $domains "user" $users -}}
{{- range $things -}}
{{- $made = append $made (merge (dict "kind" $kind) (pick . "name" "type" "domain") $place) -}}
{{- end -}}
{{- end -}}
script: register.py
makes: {{ toJson $made }}
needs: [identity]
login: admin
variables:
  {{- toYaml $passwords | nindent 2 }}
  REGISTRATION: {json: {{ dict "region" .values.region "services" $services "users" $users "domains" $domains "roles" (.root.Values.registration.roles | default list) | toJson }}}
{{- end -}}
