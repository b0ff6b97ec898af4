{{- /*
Made by `npm run charts` of the options that oslo.config marks `secret=True` (`options`) and of the rule in
src/helm/redact/looks-secret.ts.
True if .value, below the key or option .name (in .section), is a secret or holds one: a map and a list by what is in them, a text by the keys of its lines.
*/ -}}
{{- define "common.config.secret" -}}
{{- if or (kindIs "map" .value) (kindIs "slice" .value) -}}
{{- range $key, $value := .value -}}
{{- $name := ternary $.name $key (or (kindIs "slice" $.value) (eq (toString $key) "values")) -}}
{{- include "common.config.secret" (dict "name" $name "section" $.name "value" $value) -}}
{{- end -}}
{{- else if not (or (kindIs "bool" .value) (kindIs "invalid" .value)) -}}
{{- $value := toString .value -}}
{{- $option := replace "-" "_" .name -}}
{{- $options := list "asyncio_connection" "asyncio_slave_connection" "backend_argument" "backend_url" "backup_gcs_proxy_url" "backup_s3_sse_customer_key" "backup_swift_key" "connection" "coordination_url" "fixed_key" "flashblade_api" "heartbeat_key" "indexer.url" "messaging_urls" "netapp_ca_certificate_file" "netapp_certificate_file" "netapp_private_key_file" "p11_crypto_plugin.login" "persistence_connection" "redis_url" "replication_device" "s3_access_key_id" "slave_connection" "swift_key" "swift_store_application_credential_id" "swift_store_key" "swift_store_user" "swift_temp_url_key" "transport_url" -}}
{{- $listed := or (has $option $options) (has (printf "%s.%s" .section $option) $options) -}}
{{- $words := regexReplaceAll "_?[0-9]+$|_(?:b64|base64|base|contents?|current|data|hash|new|old|pem|plain|string|text|value)$" (regexReplaceAll "[^A-Za-z0-9]+" (regexReplaceAll "([A-Z])([A-Z][a-z])" (regexReplaceAll "([a-z0-9])([A-Z])" (.name) "${1}_${2}") "${1}_${2}") "_" | lower) "" -}}
{{- $ruled := and (not (regexMatch "^(?:allow|max|min)_|(?:^|_)(?:backend|cron|days|driver|enabled|expiration|port|provider|repository|seconds|time|ttl|window)$" $words)) (regexMatch "(?:password|passwd|passphrase|secret|token|bearer|credential|cookie|keyring|fernet|psk|pwd|pw)s?$|(?:^|_)(?:admin|bind|db|ldap|root|user)?pass$|(?:^|_)(?:secret|token|approle_role)_id$|(?:^|_)(?:access|account|admin|api|auth|aws|ca|ceph|client|crypto|deploy|dsa|ecdsa|ed25519|encrypt|encryption|fernet|hmac|kek|license|master|private|rndc|root|rsa|secret|server|session|shared|signing|ssh|ssh_host|ssl|storage|tls|transport|tsig)_?keys?$|^_?(?:keys?|keks?|auths|docker_?config_?json|dockercfg)$" $words) -}}
{{- $path := and (hasSuffix "key" $words) (regexMatch "^/(etc|run|srv|usr|var)/" $value) -}}
{{- if or $listed (and $ruled (not $path)) (regexMatch "://[^/@[:space:]]*:[^/@[:space:]]+@|-----BEGIN [A-Z ]*PRIVATE KEY" $value) -}}
true
{{- else if contains "\n" $value -}}
{{- range regexFindAll "(?m)^[[:space:]]*[\"']?[[:word:].-]+[\"']?[[:space:]]*[=:\"']" $value -1 -}}
{{- include "common.config.secret" (dict "name" (trimAll " \n\t\"'=:" .) "value" "") -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
