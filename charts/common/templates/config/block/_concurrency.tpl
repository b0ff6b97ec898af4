{{- /* oslo.concurrency's locks, in the home directory of kolla's image. */ -}}
{{- define "common.config.block.concurrency" -}}
options:
  oslo_concurrency:
    lock_path: /var/lib/{{ .ctx.user.name }}/tmp
{{- end -}}
