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
{{- $own := list (dict "role" "pod" "namespaces" (dict "own_namespace" true)) | toJson }}
{{- $others := omit $job "kubernetes_sd_configs" "relabel_configs" "metric_relabel_configs" "honor_labels" "metrics_path" }}
{{- if or $others (ne (toJson $job.kubernetes_sd_configs) $own) }}
{{- fail (printf "conf.prometheus.scrape_configs.%s cannot be a PodMonitor, because of %s: configure it where your Prometheus is" $name (keys $others | sortAlpha | join ", " | default "kubernetes_sd_configs")) }}
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
  groups:
    {{- range ($.files.alerts.text | fromJson).groups }}
    - name: {{ .name }}
      rules:
        {{- range .rules }}
        - {{ include "common.kinds.monitors.rule" (dict "ctx" $ "rule" .) }}
        {{- end }}
    {{- end }}
{{ end -}}
{{- end -}}
{{- end -}}

{{- /* Relabelings as the operator spells them. */ -}}
{{- define "common.kinds.monitors.relabelings" -}}
{{- toJson . | replace "\"source_labels\":" "\"sourceLabels\":" | replace "\"target_label\":" "\"targetLabel\":" -}}
{{- end -}}

{{- /*
A rule about the targets of this namespace, because that Prometheus has others, too: each selector of a metric gets a
matcher of the label `namespace`, before its own matchers (`}{`).
*/ -}}
{{- define "common.kinds.monitors.rule" -}}
{{- $names := "\\b((?:ceph|kk|kube|libvirt|memcached|mysql|node|rabbitmq)_[a-z0-9_]+|up)\\b" -}}
{{- $expr := regexReplaceAll $names .rule.expr (printf "${1}{namespace=%q}" .ctx.namespace) | replace "}{" "," -}}
{{- merge (dict "expr" $expr) .rule | toJson -}}
{{- end -}}
