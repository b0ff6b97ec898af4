{{- /* oslo.concurrency's locks, in the home that kolla gives each service. */ -}}
{{- define "common.config.block.concurrency" -}}
options:
  oslo_concurrency:
    lock_path: /var/lib/{{ .ctx.user.name }}/tmp
{{- end -}}
