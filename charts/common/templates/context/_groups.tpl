{{- /*
Sets .groups of the context: the groups of nodes (`node_groups`), in the order in which they are considered for a
node: {name, labels, changes, conf, pod, images}. Those of `hosts` come first, then those with a selector, and a
group before the one that it extends; otherwise by their names. Also sets .values.aggregates: those
groups from which nova makes an aggregate.
*/ -}}
{{- define "common.context.groups" -}}
{{- $groups := .values.node_groups | default dict -}}
{{- $byOrder := dict -}}
{{- $aggregates := list -}}
{{- $owners := dict -}}
{{- range $name, $group := $groups -}}
{{- if $group -}}
{{- $labels := list -}}
{{- range $key, $value := ternary (dict "kubernetes.io/hostname" $group.hosts) ($group.selector | default dict) (not (empty $group.hosts)) -}}
{{- $values := kindIs "slice" $value | ternary $value (list $value) -}}
{{- $labels = append $labels (dict "key" $key "operator" "In" "values" $values) -}}
{{- end -}}
{{- if or (empty $labels) (and $group.selector $group.hosts) -}}
{{- fail (printf "node_groups.%s: give either selector, labels of its nodes, or hosts, their names" $name) -}}
{{- end -}}
{{- range $host := $group.hosts -}}
{{- if hasKey $owners $host -}}
{{- fail (printf "node_groups: the host %s is in %s and in %s: remove it from one of them" $host (get $owners $host) $name) -}}
{{- end -}}
{{- $_ := set $owners $host $name -}}
{{- end -}}
{{- $chain := include "common.context.groups.chain" (dict "groups" $groups "name" $name "chain" list) | fromYamlArray -}}
{{- $resolved := dict "name" $name "labels" $labels "changes" false -}}
{{- range $place := list "conf" "pod" "images" -}}
{{- $merged := dict -}}
{{- range reverse $chain -}}
{{- include "common.context.merge" (dict "into" $merged "from" (get (get $groups .) $place | default dict)) -}}
{{- end -}}
{{- $_ := set $resolved $place $merged -}}
{{- $_ := set $resolved "changes" (or $resolved.changes (not (empty $merged))) -}}
{{- end -}}
{{- $_ := set $byOrder (printf "%s %d %s" (ternary "hosts" "selector" (not (empty $group.hosts))) (sub 9 (len $chain)) $name) $resolved -}}
{{- if or $group.availability_zone (kindIs "map" $group.aggregate) -}}
{{- $aggregate := $group.aggregate | default dict -}}
{{- $aggregates = append $aggregates (dict
  "group" $name "name" ($aggregate.name | default $name) "zone" ($group.availability_zone | default "")
  "metadata" ($aggregate.metadata | default dict) "labels" $labels) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $ordered := list -}}
{{- range $_, $group := $byOrder -}}
{{- $ordered = append $ordered $group -}}
{{- end -}}
{{- $_ := set . "groups" $ordered -}}
{{- with $aggregates }}{{ $_ := set $.values "aggregates" . }}{{ end -}}
{{- end -}}

{{- /* The .name of a group, and the names of those that it extends, the nearest first, as a list. */ -}}
{{- define "common.context.groups.chain" -}}
{{- $group := get .groups .name -}}
{{- if not (kindIs "map" $group) -}}
{{- fail (printf "node_groups.%s extends %s, which does not exist" (last .chain) .name) -}}
{{- end -}}
{{- if or (has .name .chain) (gt (len .chain) 8) -}}
{{- fail (printf "node_groups: groups extend each other: %s" (append .chain .name | join ", ")) -}}
{{- end -}}
{{- $chain := append .chain .name -}}
{{- if $group.extends -}}
{{- include "common.context.groups.chain" (dict "groups" .groups "name" $group.extends "chain" $chain) -}}
{{- else -}}
{{- toYaml $chain -}}
{{- end -}}
{{- end -}}

{{- /*
Sets .groups of each component on nodes (DaemonSet): a list of {ctx, unit, name} of those groups with which another
object would be rendered than without. A DaemonSet runs on the nodes of its group, except those of preceding ones
(`inside` and `outside` of the unit), and the one of the component on all other nodes.
*/ -}}
{{- define "common.context.groups.units" -}}
{{- $read := dict -}}
{{- $sets := dict -}}
{{- range $key, $unit := .components -}}
{{- if eq $unit.kind "DaemonSet" -}}
{{- $_ := set $sets $key (include "common.kinds.workload" (dict "ctx" $ "unit" (omit $unit))) -}}
{{- $_ := set $unit "groups" list -}}
{{- $_ := set $unit "outside" list -}}
{{- end -}}
{{- end -}}
{{- range $group := .groups -}}
{{- if $group.changes -}}
{{- if not $sets -}}
{{- fail (printf "node_groups.%s: %s has no DaemonSet that could differ on its nodes" $group.name $.chart) -}}
{{- end -}}
{{- $ctx := dict -}}
{{- include "common.context.groups.context" (dict "base" $ "group" $group "into" $ctx) -}}
{{- $used := list -}}
{{- $all := list -}}
{{- range $key, $object := $sets -}}
{{- $base := get $.components $key -}}
{{- $unit := deepCopy (get $.root.Values.components $key) | merge (pick $base "ports" "served" "main" "https" "kind" "replicas" "network") -}}
{{- if not (hasKey $base "storage") }}{{ $_ := unset $unit "storage" }}{{ end -}}
{{- $_ := set $unit "group" $group.name -}}
{{- include "common.pod.unit" (dict "ctx" $ctx "role" "component" "key" $key "unit" $unit) -}}
{{- $all = concat $all $unit.files -}}
{{- if ne $object (include "common.kinds.workload" (dict "ctx" $ctx "unit" (omit $unit "group"))) -}}
{{- $used = concat $used $unit.files -}}
{{- $_ := set $unit "inside" $group.labels -}}
{{- $_ := set $unit "outside" $base.outside -}}
{{- $_ := set $base "outside" (append $base.outside $group.labels) -}}
{{- $name := include "common.context.name" (dict "ctx" $ "key" (printf "%s-%s" $key $group.name)) -}}
{{- $_ := set $base "groups" (append $base.groups (dict "ctx" $ctx "unit" $unit "name" $name)) -}}
{{- end -}}
{{- end -}}
{{- range $key, $_ := $group.conf -}}
{{- if not (has $key $all) -}}
{{- fail (printf "node_groups.%s.conf.%s: no DaemonSet of %s reads it; they read %s" $group.name $key $.chart ($all | uniq | sortAlpha | join ", ")) -}}
{{- end -}}
{{- end -}}
{{- range $key, $file := $ctx.files -}}
{{- if and $file.group (not (has $key $used)) -}}
{{- $_ := unset $.configmaps.etc $file.name -}}
{{- $_ := unset $.secrets.files $file.name -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /*
Fills .into with the context for the pods on the nodes of a .group: the same as .base, except for what the group
changes. Of the files only those that differ are stored once more, as `GROUP.NAME`.
*/ -}}
{{- define "common.context.groups.context" -}}
{{- $root := omit .base.root "Values" -}}
{{- $conf := deepCopy (.base.root.Values.conf | default dict) -}}
{{- include "common.context.merge" (dict "into" $conf "from" .group.conf) -}}
{{- $_ := set $root "Values" (merge (dict "conf" $conf) (omit .base.root.Values "conf")) -}}
{{- $values := deepCopy .base.values -}}
{{- include "common.context.merge" (dict "into" $values "from" (pick .group "pod" "images")) -}}
{{- range $key, $value := omit .base "root" "values" "files" "configmaps" "secrets" -}}
{{- $_ := set $.into $key $value -}}
{{- end -}}
{{- $_ := set .into "root" $root -}}
{{- $_ := set .into "values" $values -}}
{{- $_ := set .into "configmaps" (dict "etc" dict) -}}
{{- $_ := set .into "secrets" (dict "files" dict) -}}
{{- include "common.config.files" .into -}}
{{- range $key, $file := .into.files -}}
{{- $same := get $.base.files $key | default dict -}}
{{- if and (eq $file.text (toString $same.text)) (eq (toJson $file.env) (toJson $same.env)) -}}
{{- $_ := set $.into.files $key $same -}}
{{- else -}}
{{- $name := printf "%s.%s" $.group.name $file.name -}}
{{- range $place := list "configmaps.etc" "secrets.files" -}}
{{- $parts := splitList "." $place -}}
{{- $own := index $.into (first $parts) (last $parts) -}}
{{- if hasKey $own $file.name -}}
{{- $_ := set (index $.base (first $parts) (last $parts)) $name (get $own $file.name) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $file "name" $name -}}
{{- $_ := set $file "group" $.group.name -}}
{{- end -}}
{{- end -}}
{{- $_ := set .into "configmaps" .base.configmaps -}}
{{- $_ := set .into "secrets" .base.secrets -}}
{{- end -}}
