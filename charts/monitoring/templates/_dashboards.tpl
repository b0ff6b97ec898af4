{{- /*
A dashboard of Grafana from {title, panels: [{title, expr, legend, unit, kind}]}: two panels side by side, each one a
`timeseries` or a `stat`. Grafana's user chooses the data source and the namespace.
*/ -}}
{{- define "common.config.format.dashboard" -}}
{{- $source := dict "type" "prometheus" "uid" "${source}" -}}
{{- $panels := list -}}
{{- range $i, $panel := .panels -}}
{{- $targets := list (dict "refId" "A" "datasource" $source "expr" $panel.expr "legendFormat" ($panel.legend | default "")) -}}
{{- $panels = append $panels (dict
  "id" (add1 $i) "type" ($panel.kind | default "timeseries") "title" $panel.title "datasource" $source "targets" $targets
  "gridPos" (dict "h" 8 "w" 12 "x" (mul 12 (mod $i 2)) "y" (mul 8 (div $i 2)))
  "fieldConfig" (dict "defaults" (dict "unit" ($panel.unit | default "short") "min" 0) "overrides" list)) -}}
{{- end -}}
{{- dict
  "uid" (printf "kk-%s" (.title | lower | replace " " "-")) "title" .title "tags" (list "openstack") "schemaVersion" 39 "refresh" "1m"
  "time" (dict "from" "now-6h" "to" "now") "panels" $panels
  "templating" (dict "list" (list
    (dict "name" "source" "label" "Data source" "type" "datasource" "query" "prometheus")
    (dict "name" "namespace" "label" "Namespace" "type" "query" "datasource" $source "query" "label_values(kk_service_state, namespace)" "refresh" 1)))
  | toPrettyJson -}}
{{- end -}}
