{{- /*
The environment of a unit: the pod's own facts first, because later entries may refer to them as $(POD_IP);
then the secrets of its files, or of the sections in `reads`; then its own and the user's (`pod.env.<unit>`).
Sets .env, a list, and .digest of the unit. A job that reads a generated file gets options to write no log
file: kolla's files name a directory that only the start of a service creates.
*/ -}}
{{- define "common.pod.env" -}}
{{- $_ := set .unit "env" list -}}
{{- $_ := set .unit "digest" list -}}
{{- include "common.pod.env.variables" (dict "ctx" .ctx "unit" .unit "variables" (dict
  "POD_NAME" (dict "field" "metadata.name") "POD_NAMESPACE" (dict "field" "metadata.namespace")
  "POD_IP" (dict "field" "status.podIP") "NODE_NAME" (dict "field" "spec.nodeName"))) -}}
{{- $start := ternary (dict "KOLLA_CONFIG_STRATEGY" "COPY_ONCE") (dict "HOME" "/tmp") .unit.kolla -}}
{{- if and .unit.kolla (eq .unit.role "job") -}}
{{- $_ := set $start "KOLLA_SKIP_EXTEND_START" "" -}}
{{- end -}}
{{- $trust := ternary (list "REQUESTS_CA_BUNDLE") (list "CURL_CA_BUNDLE" "REQUESTS_CA_BUNDLE" "SSL_CERT_FILE") .unit.kolla -}}
{{- range ternary $trust list .ctx.values.tls.internal -}}
{{- $_ := set $start . "/etc/tls/ca.crt" -}}
{{- end -}}
{{- include "common.pod.env.variables" (dict "ctx" .ctx "unit" .unit "variables" $start) -}}
{{- $own := dict -}}
{{- $given := dict -}}
{{- $read := join " " .unit.reads | upper | splitList " " -}}
{{- range .unit.files -}}
{{- $file := get $.ctx.files . -}}
{{- range $name, $value := $file.env -}}
{{- if or (not $.unit.reads) (has (trimPrefix "OS_" $name | splitList "__" | first) $read) -}}
{{- $giver := get $given $name | default $file.key -}}
{{- if ne (dig $giver "env" $name "" $.ctx.files) $value -}}
{{- fail (printf "files %s and %s both give %s the variable %s: take the block that writes it out of one" $giver $file.key $.unit.key $name) -}}
{{- end -}}
{{- $_ := set $given $name $giver -}}
{{- $secret := include "common.pod.env.secret" (dict "ctx" $.ctx "unit" $.unit "key" (list $file.group $file.key $name | compact | join ".") "value" $value) -}}
{{- $_ := set $.unit "env" (append $.unit.env (dict "name" $name "valueFrom" (fromYaml $secret))) -}}
{{- end -}}
{{- end -}}
{{- if and $file.imported $.unit.kolla (ne $.unit.role "component") -}}
{{- $own = dict "OS_DEFAULT__LOG_DIR" "" "OS_DEFAULT__LOG_FILE" "" "OS_DEFAULT__USE_STDERR" "true" -}}
{{- end -}}
{{- end -}}
{{- range $key := .unit.files -}}{{- $file := get $.ctx.files $key -}}
{{- $second := and $given (ne (values $given | uniq | join " ") $file.key) (eq ($file.format | default "oslo") "oslo") -}}
{{- range $section, $options := ternary $file.sections dict (not (empty $second)) -}}{{- range $option, $_ := ternary $options dict (kindIs "map" $options) -}}
{{- $giver := get $given (printf "OS_%s__%s" $section $option | upper) | default $file.key -}}
{{- if ne $giver $file.key -}}{{- fail (printf "conf.%s.%s.%s has no effect in %s, which has a variable for it that counts in all files: set it in conf.%s" $file.key $section $option $.unit.key $giver) -}}{{- end -}}
{{- end }}{{ end }}{{ end -}}
{{- range list .unit.identity .unit.variables .unit.settings.env -}}
{{- include "common.context.merge" (dict "into" $own "from" .) -}}
{{- end -}}
{{- include "common.pod.env.variables" (dict "ctx" .ctx "unit" .unit "variables" $own) -}}
{{- end -}}

{{- /*
The reference to the .value of a variable, in the release's Secret under .key; the value is part of the unit's
digest.
*/ -}}
{{- define "common.pod.env.secret" -}}
{{- $_ := set .ctx.secrets.env .key .value -}}
{{- $_ := set .unit "digest" (append .unit.digest (printf "%s=%s" .key .value)) -}}
secretKeyRef: {name: {{ include "common.context.secret" (dict "ctx" .ctx "key" "env") | quote }}, key: {{ quote .key }}}
{{- end -}}

{{- /*
Variables of a unit, by name. A value is a string, or a reference to a value of the library:
{field: status.podIP}, {credential: oslo_db.admin.password}, {uri: identity.public}, {host: oslo_db},
{port: oslo_db.mysql}, {members: ovn_ovsdb_nb}, {auth: identity.admin.username},
{option: keystone.fernet_tokens.max_active_keys}, {value: region}, {json: …};
{object: fernet-keys}, that object of the release; {self: image}, the pod's own URL;
{peer: rabbit@}, its name among its peers; {image: compute}, the image of a component;
{secret: NAME, key: KEY}, a key of a Secret of the deployer.
*/ -}}
{{- define "common.pod.env.variables" -}}
{{- $endpoints := dict "auth" (list "user" "field") "host" list "members" list "port" (list "port") "uri" (list "interface") -}}
{{- range $name, $value := .variables -}}
{{- $text := include "common.config.scalar" $value -}}
{{- $from := dict -}}
{{- $reference := ternary $value dict (kindIs "map" $value) -}}
{{- $kind := omit $reference "default" | keys | join "" -}}
{{- $parts := get $reference $kind | toString | splitList "." -}}
{{- if $reference.field -}}
{{- $from = dict "fieldRef" (dict "fieldPath" $value.field) -}}
{{- else if $reference.credential -}}
{{- $secret := include "common.endpoints.credential" (dict "ctx" $.ctx "path" $value.credential) -}}
{{- $from = include "common.pod.env.secret" (dict "ctx" $.ctx "unit" $.unit "key" $value.credential "value" $secret) | fromYaml -}}
{{- else if $reference.secret -}}
{{- $from = dict "secretKeyRef" (dict "name" $value.secret "key" $value.key) -}}
{{- else if hasKey $endpoints $kind -}}
{{- $asked := dict "ctx" $.ctx "type" (first $parts) "default" $value.default -}}
{{- range $i, $name := get $endpoints $kind -}}
{{- $_ := set $asked $name (index $parts (add1 $i)) -}}
{{- end -}}
{{- $text = include (printf "common.endpoints.%s" $kind) $asked -}}
{{- else if $reference.object -}}
{{- $text = include "common.context.name" (dict "ctx" $.ctx "key" $value.object) -}}
{{- else if $reference.self -}}
{{- $text = printf "%s://$(POD_IP):%s" (ternary "https" "http" $.ctx.values.tls.internal) (include "common.endpoints.port" (dict "ctx" $.ctx "type" $value.self "interface" "service")) -}}
{{- else if $reference.peer -}}
{{- $text = printf "%s$(POD_NAME).%s-peers.%s.svc.%s" $value.peer $.unit.name $.ctx.namespace $.ctx.endpoints.cluster_domain_suffix -}}
{{- else if $reference.image -}}
{{- $text = include "common.context.image" (dict "ctx" $.ctx "key" $value.image "name" (dig $value.image "image" $.ctx.root.Values.image $.ctx.root.Values.components)) -}}
{{- else if $reference.option -}}
{{- $text = include "common.config.option" (dict "ctx" $.ctx "option" $value.option) -}}
{{- else if $reference.value -}}
{{- $text = get $.ctx.values $value.value | include "common.config.scalar" -}}
{{- else if hasKey $reference "json" -}}
{{- $text = toRawJson $value.json -}}
{{- else if kindIs "map" $value -}}
{{- fail (printf "variable %s of %s: a reference is one of field, credential, uri, host, port, members, auth, option, value, json, object, image, self, peer, secret" $name $.unit.key) -}}
{{- end -}}
{{- $source := ternary (dict "value" $text) (dict "valueFrom" $from) (empty $from) -}}
{{- $_ := set $.unit "env" (append $.unit.env (merge (dict "name" $name) $source)) -}}
{{- end -}}
{{- end -}}
