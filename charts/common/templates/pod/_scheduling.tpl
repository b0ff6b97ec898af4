{{- /*
Scheduling and termination of a pod: openstack-helm's labels, anti-affinity, tolerations, priority, grace.
Pods of one component prefer different nodes; `pod.affinity.anti.type` can require them. What else affects it
has Kubernetes' names: `pod.affinity.nodeAffinity.<unit>` and the like, `pod.topologySpreadConstraints`, which a
DaemonSet does not get: with one pod on each node, there is nothing to spread, and in zones of unequal size pods
would be left over.
*/ -}}
{{- define "common.pod.scheduling" -}}
{{- $pod := .ctx.values.pod -}}
{{- $key := .unit.key -}}
{{- $isComponent := eq .unit.role "component" -}}
{{- $label := include "common.context.pick" (dict "ctx" .ctx "key" (ternary $key .unit.role $isComponent) "of" .ctx.values.labels) | mustFromJson -}}
{{- $label = $label | default (get .ctx.values.labels.roles (.unit.node | default "control_plane")) -}}
nodeSelector:
  {{ $label.node_selector_key }}: {{ $label.node_selector_value | quote }}
{{- $affinity := dict }}
{{- if $isComponent }}
{{- if ne .unit.kind "DaemonSet" }}
{{- $anti := $pod.affinity.anti }}
{{- $type := include "common.context.pick" (dict "ctx" .ctx "key" $key "of" $anti.type) | mustFromJson }}
{{- $topology := include "common.context.pick" (dict "ctx" .ctx "key" $key "of" $anti.topologyKey) | mustFromJson }}
{{- $term := dict "topologyKey" $topology "labelSelector" (dict "matchLabels" (include "common.context.selector" . | fromYaml)) }}
{{- if hasPrefix "preferred" $type }}
{{- $weight := include "common.context.pick" (dict "ctx" .ctx "key" $key "of" $anti.weight) | mustFromJson }}
{{- $term = dict "weight" (int64 $weight) "podAffinityTerm" $term }}
{{- end }}
{{- $_ := set $affinity "podAntiAffinity" (dict $type (list $term)) }}
{{- end }}
{{- $default := .unit.grace | default 60 }}
{{- if kindIs "string" $default }}
{{- $default = include "common.config.option" (dict "ctx" .ctx "option" $default "default" 60) | int | add 30 }}
{{- end }}
{{- $grace := include "common.context.pick" (dict "ctx" .ctx "key" $key "of" (dig "lifecycle" "termination_grace_period" dict $pod)) | mustFromJson }}
terminationGracePeriodSeconds: {{ dig "timeout" $default ($grace | default dict) | int64 }}
{{- end }}
{{- if and .unit.grace (not $isComponent) }}
terminationGracePeriodSeconds: {{ .unit.grace | int64 }}
{{- end }}
{{- range $name := list "nodeAffinity" "podAffinity" "podAntiAffinity" }}
{{- with include "common.context.pick" (dict "ctx" $.ctx "key" $key "of" (get $pod.affinity $name)) | mustFromJson }}
{{- $_ := set $affinity $name . }}
{{- end }}
{{- end }}
{{- include "common.pod.scheduling.groups" (dict "ctx" .ctx "unit" .unit "affinity" $affinity) }}
{{- with $affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with ternary list .unit.settings.topologySpreadConstraints (eq (toString .unit.kind) "DaemonSet") }}
topologySpreadConstraints:
  {{- range . }}
  {{- $own := dict "labelSelector" (dict "matchLabels" (include "common.context.selector" $ | fromYaml)) }}
  - {{ merge . (ternary dict $own (hasKey . "labelSelector")) | toJson }}
  {{- end }}
{{- end }}
{{- $tolerations := .unit.settings.tolerations | default dict }}
{{- if $tolerations.enabled }}
tolerations:
  {{- toYaml $tolerations.tolerations | nindent 2 }}
{{- end }}
{{- range $name := list "priorityClassName" "runtimeClassName" }}
{{- with get $.unit.settings $name }}
{{ $name }}: {{ . }}
{{- end }}
{{- end }}
{{- end -}}

{{- /*
Adds to .affinity, for groups of nodes, the labels that nodes must have (`inside` of the unit), and those of groups
that must not match (`outside`): of several labels of a group one that differs suffices. A pod of a group is started
only when no other of the component is left on its node, which Kubernetes would end at the same time.
*/ -}}
{{- define "common.pod.scheduling.groups" -}}
{{- if or .unit.inside .unit.outside -}}
{{- $node := .affinity.nodeAffinity | default dict -}}
{{- $required := $node.requiredDuringSchedulingIgnoredDuringExecution | default dict -}}
{{- $terms := list -}}
{{- range $term := $required.nodeSelectorTerms | default (list dict) -}}
{{- $labels := concat ($term.matchExpressions | default list) ($.unit.inside | default list) -}}
{{- $terms = append $terms (merge (dict "matchExpressions" $labels) $term) -}}
{{- end -}}
{{- range $group := .unit.outside -}}
{{- $outside := list -}}
{{- range $term := $terms -}}
{{- range $label := $group -}}
{{- $labels := append $term.matchExpressions (merge (dict "operator" "NotIn") $label) -}}
{{- $outside = append $outside (merge (dict "matchExpressions" $labels) $term) -}}
{{- end -}}
{{- end -}}
{{- $terms = $outside -}}
{{- end -}}
{{- $_ := set .affinity "nodeAffinity" (merge (dict "requiredDuringSchedulingIgnoredDuringExecution" (dict "nodeSelectorTerms" $terms)) $node) -}}
{{- end -}}
{{- if .unit.inside -}}
{{- $component := include "common.context.selector" (dict "ctx" .ctx "unit" (dict "key" .unit.key)) | fromYaml -}}
{{- $alone := dict "topologyKey" "kubernetes.io/hostname" "labelSelector" (dict "matchLabels" $component) -}}
{{- $anti := .affinity.podAntiAffinity | default dict -}}
{{- $terms := append ($anti.requiredDuringSchedulingIgnoredDuringExecution | default list) $alone -}}
{{- $_ := set .affinity "podAntiAffinity" (merge (dict "requiredDuringSchedulingIgnoredDuringExecution" $terms) $anti) -}}
{{- end -}}
{{- end -}}
