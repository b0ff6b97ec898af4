{{- /*
The dumps of the release's databases before its first migration, if `dumps.claim` names a place for them. The
variables of dump.sh; its container runs as a user of its image, and pods that dump share the group of that
user, so that all releases can write to one claim.
*/ -}}
{{- define "common.jobs.dump.variables" -}}
{{- $accounts := list -}}
{{- range $name, $database := .root.Values.databases -}}
{{- $user := $database.user | default $name -}}
{{- $accounts = append $accounts (include "common.endpoints.auth" (dict "ctx" $ "type" "oslo_db" "user" $user "field" "username" "default" $user)) -}}
{{- end -}}
RELEASE: {{ .release }}
DATABASES: {{ keys .root.Values.databases | sortAlpha | join " " | quote }}
ACCOUNTS: {{ $accounts | uniq | join " " | quote }}
KEEP: {{ .values.dumps.keep | toString | quote }}
DB_HOST: {host: oslo_db}
DB_PORT: {port: oslo_db.mysql}
DB_ADMIN_USER: {auth: oslo_db.admin.username}
MYSQL_PWD: {credential: oslo_db.admin.password}
{{- end -}}

{{- /* The init container of the first migration. If it fails, the migration does not start. */ -}}
{{- define "common.jobs.dump" -}}
{{- $variables := include "common.jobs.dump.variables" .ctx | fromYaml -}}
{{- range $name, $label := dict "JOB" "job-name" "JOB_UID" "controller-uid" -}}
{{- $_ := set $variables $name (dict "field" (printf "metadata.labels['batch.kubernetes.io/%s']" $label)) -}}
{{- end -}}
{{- $own := dict "key" .unit.key "env" list "digest" list -}}
{{- include "common.pod.env.variables" (dict "ctx" .ctx "unit" $own "variables" $variables) -}}
{{- $_ := set .unit "digest" (concat .unit.digest $own.digest) -}}
- name: dump
  image: {{ include "common.jobs.dump.image" .ctx }}
  imagePullPolicy: {{ .ctx.values.images.pull_policy }}
  command: [bash, /scripts/dump.sh, save]
  env:
    {{- toYaml $own.env | nindent 4 }}
  resources:
    {{- include "common.pod.resources" . | nindent 4 }}
  securityContext:
    {{- include "common.pod.security.container" (dict "ctx" .ctx "unit" (dict "security" (include "common.jobs.dump.user" .ctx | fromYaml) "settings" .unit.settings)) | nindent 4 }}
  volumeMounts:
    - {name: dumps, mountPath: /dumps}
    - {name: scripts, mountPath: /scripts, readOnly: true}
    {{- if .ctx.values.tls.internal }}
    - {name: tls, mountPath: /etc/tls, readOnly: true}
    {{- end }}
{{- end -}}

{{- /* The user of kolla's image of MariaDB. */ -}}
{{- define "common.jobs.dump.user" -}}
runAsUser: 42434
{{- end -}}

{{- /*
The image of MariaDB as `global` has it, not with the tag of the release: it belongs to no release of
OpenStack.
*/ -}}
{{- define "common.jobs.dump.image" -}}
{{- $tag := dig "images" "tag" (include "common.context.defaults" . | fromYaml).images.tag (.root.Values.global | default dict) -}}
{{- $values := dict "images" (merge (dict "tag" $tag) .values.images) -}}
{{- include "common.context.image" (dict "ctx" (merge (dict "values" $values) .) "key" "mariadb" "name" "mariadb-server") -}}
{{- end -}}

{{- /* The facts of the cronjob from which one makes a Job that puts a dump back; it never runs by schedule. */ -}}
{{- define "common.jobs.db-restore" -}}
script: dump.sh
args: [restore]
dumps: restore
needs: [oslo_db]
reference: {{ include "common.jobs.dump.image" . }}
security: {{ include "common.jobs.dump.user" . | fromYaml | toJson }}
variables: {{ include "common.jobs.dump.variables" . | fromYaml | toJson }}
{{- end -}}
