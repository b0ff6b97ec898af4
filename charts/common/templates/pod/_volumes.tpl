{{- /*
The volumes of a unit: kolla's directory with its config.json and its files, which a `script` finds there,
too; the files of TLS inside, of which a job gets only the authority; the scripts; the token of its service
account, if it needs it; its data, ephemeral or on a claim (a StatefulSet creates its own claims); those of
its facts, each one of {secret, host, claim, empty}; the user's (`pod.mounts.<unit>`).
*/ -}}
{{- define "common.pod.volumes" -}}
{{- if or .unit.kolla .unit.files }}
{{- $public := ternary (list (dict "key" .unit.config_name "path" "config.json")) list .unit.kolla }}
{{- $secret := list }}
{{- range .unit.files }}
{{- $file := get $.ctx.files . }}
{{- $item := dict "key" $file.name "path" $file.source }}
{{- if hasKey $.ctx.secrets.files $file.name }}
{{- $secret = append $secret $item }}
{{- else if hasKey $.ctx.configmaps.etc $file.name }}
{{- $public = append $public $item }}
{{- end }}
{{- end }}
- name: config
  projected:
    sources:
      {{- /* Without items, Kubernetes would mount all. */}}
      {{- with $public }}
      - configMap: {name: {{ include "common.context.name" (dict "ctx" $.ctx "key" "etc") }}, items: {{ toJson . }}}
      {{- end }}
      {{- with $secret }}
      - secret: {name: {{ include "common.context.secret" (dict "ctx" $.ctx "key" "files") }}, items: {{ toJson . }}}
      {{- end }}
{{- end }}
- {name: {{ ternary "logs" "tmp" .unit.kolla }}, emptyDir: {}}
{{- if .ctx.values.tls.internal }}
{{- $only := ternary (dict "items" (list (dict "key" "ca.crt" "path" "ca.crt"))) dict (eq .unit.role "job") }}
- {name: tls, secret: {{ dict "secretName" (include "common.context.certificate" .ctx) "defaultMode" 288 | merge $only | toJson }}}
{{- end }}
{{- if or .unit.script .unit.scripts .unit.rollout }}
- {name: scripts, configMap: {name: {{ include "common.context.name" (dict "ctx" .ctx "key" "bin") }}}}
{{- end }}
{{- if or .unit.rbac .unit.rollout (and .ctx.values.dependencies.enabled (or .unit.services .unit.waits)) }}
- name: token
  projected:
    sources:
      - serviceAccountToken: {path: token, expirationSeconds: 3607}
      - configMap: {name: kube-root-ca.crt, items: [{key: ca.crt, path: ca.crt}]}
      - downwardAPI: {items: [{path: namespace, fieldRef: {fieldPath: metadata.namespace}}]}
{{- end }}
{{- if and .unit.storage .ctx.values.storage.ephemeral }}
- {name: data, emptyDir: {}}
{{- else if and .unit.storage (ne .unit.kind "StatefulSet") }}
- {name: data, persistentVolumeClaim: {claimName: {{ .unit.name }}}}
{{- end }}
{{- if .unit.dumps }}
- {name: dumps, persistentVolumeClaim: {claimName: {{ .ctx.values.dumps.claim }}}}
{{- end }}
{{- range $name, $volume := .unit.volumes }}
{{- if $volume }}
- name: {{ $name }}
  {{- if $volume.secret }}
  secret: {secretName: {{ include "common.context.name" (dict "ctx" $.ctx "key" $volume.secret) }}, defaultMode: {{ $volume.mode | default 288 | int64 }}}
  {{- else if $volume.host }}
  hostPath: {path: {{ $volume.host }}}
  {{- else if $volume.claim }}
  {{- $class := keys $.ctx.root.Values.classes | sortAlpha | first }}
  ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], storageClassName: {{ $class }}, resources: {requests: {storage: {{ $volume.claim }}}}}}}
  {{- else }}
  emptyDir: {{ $volume.empty | default dict | toJson }}
  {{- end }}
{{- end }}
{{- end }}
{{- with dig "volumes" list (.unit.settings.mounts | default dict) }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* Their mounts in the main container of a unit, and in the init containers of its facts. */ -}}
{{- define "common.pod.mounts" -}}
{{- if or .unit.kolla .unit.files }}
- {name: config, mountPath: /var/lib/kolla/config_files, readOnly: true}
{{- end }}
- {{ ternary "{name: logs, mountPath: /var/log/kolla}" "{name: tmp, mountPath: /tmp}" .unit.kolla }}
{{- if .ctx.values.tls.internal }}
- {name: tls, mountPath: /etc/tls, readOnly: true}
{{- end }}
{{- if or .unit.script .unit.scripts }}
- {name: scripts, mountPath: /scripts, readOnly: true}
{{- end }}
{{- if .unit.rbac }}
- {name: token, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true}
{{- end }}
{{- if and .unit.storage (not .unit.storage.device) }}
- {name: data, mountPath: {{ .unit.storage.path }}}
{{- end }}
{{- if eq (.unit.dumps | default "") "restore" }}
- {name: dumps, mountPath: /dumps}
{{- end }}
{{- range $name, $volume := .unit.volumes }}
{{- if $volume }}
- name: {{ $name }}
  mountPath: {{ $volume.path }}
  {{- with $volume.readOnly }}
  readOnly: {{ . }}
  {{- end }}
  {{- with $volume.propagation }}
  mountPropagation: {{ . }}
  {{- end }}
{{- end }}
{{- end }}
{{- with dig "volumeMounts" list (.unit.settings.mounts | default dict) }}
{{ toYaml . }}
{{- end }}
{{- end -}}
