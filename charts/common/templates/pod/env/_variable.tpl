{{- /*
One variable of a unit. A value is text, or a reference to what only the library knows:
{field: status.podIP}, {credential: oslo_db.admin.password}, {uri: identity.public}, {host: oslo_db},
{port: oslo_db.mysql}, {members: ovn_ovsdb_nb}, {auth: identity.admin.username}, {option: keystone.fernet_tokens.max_active_keys},
{value: region}, {json: …}; {object: fernet-keys}, that object of the release; {self: image}, the pod's own URL; {peer: rabbit@}, its name among its peers.
*/ -}}
{{- define "common.pod.env.variable" -}}
{{- $ctx := .ctx -}}
{{- $unit := .unit -}}
{{- $value := .value -}}
{{- if not (kindIs "map" $value) -}}
{{- $_ := set $unit "env" (append $unit.env (dict "name" .name "value" (include "common.config.scalar" $value))) -}}
{{- else if $value.field -}}
{{- $_ := set $unit "env" (append $unit.env (dict "name" .name "valueFrom" (dict "fieldRef" (dict "fieldPath" $value.field)))) -}}
{{- else if $value.credential -}}
{{- $secret := include "common.endpoints.credential" (dict "ctx" $ctx "path" $value.credential) -}}
{{- include "common.pod.env.secret" (dict "ctx" $ctx "unit" $unit "name" .name "key" $value.credential "value" $secret) -}}
{{- else -}}
{{- $text := "" -}}
{{- if $value.uri -}}
{{- $parts := splitList "." $value.uri -}}
{{- $text = include "common.endpoints.uri" (dict "ctx" $ctx "type" (first $parts) "interface" (last $parts)) -}}
{{- else if $value.host -}}
{{- $text = include "common.endpoints.host" (dict "ctx" $ctx "type" $value.host) -}}
{{- else if $value.port -}}
{{- $parts := splitList "." $value.port -}}
{{- $text = include "common.endpoints.port" (dict "ctx" $ctx "type" (first $parts) "port" (rest $parts | join ".")) -}}
{{- else if $value.members -}}
{{- $text = include "common.endpoints.members" (dict "ctx" $ctx "type" $value.members) -}}
{{- else if $value.auth -}}
{{- $parts := splitList "." $value.auth -}}
{{- $text = include "common.endpoints.auth" (dict "ctx" $ctx "type" (index $parts 0) "user" (index $parts 1) "field" (index $parts 2) "default" $value.default) -}}
{{- else if $value.object -}}
{{- $text = include "common.context.name" (dict "ctx" $ctx "key" $value.object) -}}
{{- else if $value.self -}}
{{- $text = printf "http://$(POD_IP):%s" (include "common.endpoints.port" (dict "ctx" $ctx "type" $value.self "interface" "service")) -}}
{{- else if $value.peer -}}
{{- $text = printf "%s$(POD_NAME).%s-peers.%s.svc.%s" $value.peer $unit.name $ctx.namespace $ctx.endpoints.cluster_domain_suffix -}}
{{- else if $value.option -}}
{{- $parts := splitList "." $value.option -}}
{{- $text = dig (index $parts 0) "sections" (index $parts 1) (index $parts 2) "" $ctx.files | include "common.config.scalar" -}}
{{- else if $value.value -}}
{{- $text = toString (get $ctx.values $value.value) -}}
{{- else if hasKey $value "json" -}}
{{- $text = toRawJson $value.json -}}
{{- else -}}
{{- fail (printf "variable %s of %s: a reference is one of field, credential, uri, host, port, members, auth, option, value, json, object, self, peer" .name $unit.key) -}}
{{- end -}}
{{- $_ := set $unit "env" (append $unit.env (dict "name" .name "value" $text)) -}}
{{- end -}}
{{- end -}}
