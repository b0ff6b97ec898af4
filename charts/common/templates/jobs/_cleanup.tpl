{{- /*
The facts of the cronjob that deletes what the jobs of the release have created in other services (`made`);
data first, because it may be in use. It never runs by schedule: `kk remove --purge` creates a Job from it.
`used` are the accounts that the release uses, even if its jobs did not create them.
*/ -}}
{{- define "common.jobs.cleanup" -}}
{{- $made := list -}}
{{- $variables := dict -}}
{{- $ceph := dict "ctx" . "type" "ceph_mon" -}}
{{- range .files -}}
{{- if and .data (include "common.endpoints.service" $ceph) -}}
{{- $host := include "common.endpoints.host" $ceph -}}
{{- $key := printf "KEY_%s" .data.user | replace "-" "_" -}}
{{- $made = append $made (merge (dict "kind" "data of pool" "at" $host) .data) -}}
{{- $variables = dict $key (dict "credential" (printf "ceph_mon.%s.key" .data.user)) "CEPH_HOST" (regexReplaceAll "^[^.]+" $host "${0}-peers") | merge $variables -}}
{{- end -}}
{{- end -}}
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
annotations: {kk.openstack.org/cleanup: {{ dict "made" (uniq $made) "used" $used | toRawJson | quote }}}
login: {{ ternary "admin" "" (hasKey .jobs "register") }}
variables: {{ merge (dict "CLEANUP" (dict "json" (uniq $made))) $variables | toJson }}
{{- end -}}
{{- end -}}
