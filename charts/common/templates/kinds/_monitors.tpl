{{- /*
For a Prometheus that the Prometheus operator runs (`prometheus_operator`): each job of the file `prometheus` that
discovers pods as a PodMonitor, and the file `alerts` as a PrometheusRule.
*/ -}}
{{- define "common.kinds.monitors" -}}
{{- with .root.Values.prometheus_operator -}}
{{- if .enabled -}}
{{- $object := dict "ctx" $ "labels" (.labels | default dict) -}}
{{- range $name, $job := $.files.prometheus.sections.scrape_configs }}
{{- if $job }}
{{- if not $job.kubernetes_sd_configs }}
{{- fail (printf "conf.prometheus.scrape_configs.%s discovers no pods, and cannot be a PodMonitor: configure it where your Prometheus is" $name) }}
{{- end }}
{{- $relabelings := append ($job.relabel_configs | default list) (dict "target_label" "job" "replacement" $name) }}
{{ include "common.context.object" (merge (dict "kind" "monitoring.coreos.com/v1 PodMonitor" "key" $name) $object) }}
spec:
  selector: {}
  podMetricsEndpoints:
    - path: {{ $job.metrics_path | default "/metrics" }}
      honorLabels: {{ $job.honor_labels | default false }}
      relabelings: {{ include "common.kinds.monitors.relabelings" $relabelings }}
      {{- with $job.metric_relabel_configs }}
      metricRelabelings: {{ include "common.kinds.monitors.relabelings" . }}
      {{- end }}
{{ end -}}
{{- end }}
{{ include "common.context.object" (merge (dict "kind" "monitoring.coreos.com/v1 PrometheusRule" "key" "alerts") $object) }}
spec:
  {{- $.files.alerts.text | fromJson | toYaml | nindent 2 }}
{{ end -}}
{{- end -}}
{{- end -}}

{{- /* Relabelings as the operator spells them. */ -}}
{{- define "common.kinds.monitors.relabelings" -}}
{{- toJson . | replace "\"source_labels\":" "\"sourceLabels\":" | replace "\"target_label\":" "\"targetLabel\":" -}}
{{- end -}}
