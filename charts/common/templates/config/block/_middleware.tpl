{{- /* oslo.middleware behind a proxy. */ -}}
{{- define "common.config.block.middleware" -}}
options:
  oslo_middleware:
    enable_proxy_headers_parsing: true
{{- end -}}
