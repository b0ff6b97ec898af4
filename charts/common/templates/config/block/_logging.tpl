{{- /* oslo.log to standard error, where `kubectl logs` finds it. */ -}}
{{- define "common.config.block.logging" -}}
options:
  DEFAULT:
    use_stderr: true
{{- end -}}
