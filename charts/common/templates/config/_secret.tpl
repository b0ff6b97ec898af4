{{- /*
Made by `npm run charts` of the options that oslo.config knows (`options`) and of the rule by which kk masks secrets.
No output means no secret.
*/ -}}

{{- /*
True if .value, below the key .name, is a secret or contains one: checks the entries of maps and lists, and the lines of a
string. Below a secret key (.within) everything is secret, except settings and references.
*/ -}}
{{- define "common.config.secret" -}}
{{- if kindIs "map" .value -}}
{{- /* Patterns are slow: one match over all entries leaves few. */ -}}
{{- $lines := list -}}
{{- range $key, $value := .value -}}{{- $lines = append $lines (printf "%s %s" $key (toJson $value)) -}}{{- end -}}
{{- $hinted := regexFindAll "(?m)^.*(?:pass|pwd?|secret|token|bearer|credential|cookie|key(?:[^s]|s[^t]|s?$)|kek|fernet|otp|psk|auths|basic.?auth|authorization|docker|approle.?role.?id|private|backend[_-]argument|backend[_-]url|backup[_-]gcs[_-]proxy[_-]url|connection|coordination[_-]url|flashblade[_-]api|messaging[_-]urls|netapp[_-]ca[_-]certificate[_-]file|netapp[_-]certificate[_-]file|redis[_-]url|replication[_-]device|swift[_-]store[_-]user|transport[_-]url|-----begin|bearer|identified by|(?:/|\\.)(?:hooks|discord|discordapp|office|api\\.telegram)\\.|curl|mysql|mariadb|rabbitmqctl|://[^@\\n]*@|(?:^|\")(?:url|login)\"?[ :]).*$" (join "\n" $lines | lower) -1 -}}
{{- $named := list -}}
{{- if $hinted -}}{{- $named = regexFindAll "(?m)^.*(?:pass|pwd?|secret|token|bearer|credential|cookie|key(?:[^s]|s[^t]|s?$)|kek|fernet|otp|psk|auths|basic.?auth|authorization|docker|approle.?role.?id|private|backend[_-]argument|backend[_-]url|backup[_-]gcs[_-]proxy[_-]url|connection|coordination[_-]url|flashblade[_-]api|messaging[_-]urls|netapp[_-]ca[_-]certificate[_-]file|netapp[_-]certificate[_-]file|redis[_-]url|replication[_-]device|swift[_-]store[_-]user|transport[_-]url).*$|^(?:url|login) $" (keys .value | join " \n" | lower | printf "%s ") -1 -}}{{- end -}}
{{- range $key, $value := .value -}}
{{- if or $.within (eq $key "value") (has (printf "%s %s" $key (toJson $value) | lower) $hinted) -}}
{{- $asked := dict "name" $key "section" $.name "value" $value "hinted" true -}}
{{- if and (eq $key "value") (kindIs "string" $.value.name) -}}
{{- $asked = dict "name" $.value.name "section" "" "value" $value -}}
{{- end -}}
{{- $said := "" -}}
{{- if or $.within (eq $key "value") (has (lower $key | printf "%s ") $named) -}}
{{- $said = include "common.config.secret.name" $asked -}}
{{- end -}}
{{- if and (eq $key "value") (kindIs "string" $.value.key) -}}
{{- $said = include "common.config.secret.name" (dict "name" $.value.key "section" "" "value" dict) -}}
{{- end -}}
{{- if and (eq $key "key") (or (hasKey $.value "operator") (hasKey $.value "path")) -}}
{{- $said = "" -}}
{{- end -}}
{{- if and (eq $said "true") (has $key (list "secrets" "keyrings")) (kindIs "map" $value) -}}
{{- $names := "" -}}
{{- range $value -}}
{{- $names = ternary $names "other" (or (eq $key "keyrings") (kindIs "map" .)) -}}
{{- $names = printf "%s%s" $names (include "common.config.secret.names" .) -}}
{{- end -}}
{{- if and $value (not $names) }}{{ $said = "" }}{{ end -}}
{{- end -}}
{{- $within := eq $said "true" -}}
{{- if $.within -}}
{{- $within = or $within (not (or (eq $said "never") (regexMatch "^(?:allow|max|min)_|(?:^|_)(?:backend|cron|days|driver|enabled|expiration|port|provider|repository|seconds|time|ttl|window)$" (regexReplaceAll "[^A-Za-z0-9]+" (regexReplaceAll "([A-Z])([A-Z][a-z])" (regexReplaceAll "([a-z0-9])([A-Z])" ($key) "${1}_${2}") "${1}_${2}") "_" | lower | trunc -200)))) -}}
{{- end -}}
{{- if and $within (regexMatch "KeyRef\\.key$|(?:KeyRef|^secrets?|Secrets?)\\.(?:name|namespace|secretName|items|defaultMode|optional)$" (printf "%s.%s" $.name $key)) -}}
{{- $within = false -}}
{{- end -}}
{{- include "common.config.secret" (dict "name" $key "value" $value "within" $within) -}}
{{- end -}}
{{- end -}}
{{- else if kindIs "slice" .value -}}
{{- $before := "" -}}
{{- range .value -}}
{{- $within := $.within -}}
{{- if and (kindIs "string" .) (regexMatch "^--?([A-Za-z][\\w-]+)$" $before) -}}
{{- if not (regexMatch "^-|^[\\\\\"']*(?:\\$\\{\\w+\\}|\\$\\(\\w+\\)|(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[Nn][Uu][Ll][Ll]|[Nn][Oo][Nn][Ee]|<[Nn][Oo][Nn][Ee]>)|\\*{3}|[|>][-+\\d]*|[{[]|\\$[A-Z_][A-Z0-9_]*|\\{\\{.*\\}\\})?[\\\\\"']*[\\s,;)}\\]]*$|^[\"']?(?:~|\\.{1,2})?/" .) -}}
{{- $said := include "common.config.secret.name" (dict "name" (trimPrefix "-" $before | trimPrefix "-") "section" "" "value" dict) -}}
{{- $within = or $within (eq $said "true") -}}
{{- end -}}
{{- end -}}
{{- include "common.config.secret" (dict "name" $.name "value" . "within" $within) -}}
{{- $before = toString . -}}
{{- end -}}
{{- else if kindIs "string" .value -}}
{{- if and .within (ne .value "") -}}true{{- else -}}{{- include "common.config.secret.text" .value -}}{{- end -}}
{{- else if and .within (not (kindIs "bool" .value)) (not (kindIs "invalid" .value)) -}}
true
{{- end -}}
{{- end -}}


{{- /* Empty for the name of a Secret, and for a map of such names. */ -}}
{{- define "common.config.secret.names" -}}
{{- if kindIs "map" . -}}
{{- range . }}{{ include "common.config.secret.names" . }}{{ end -}}
{{- else if or (not (kindIs "string" .)) (not (regexMatch "^[\"']?[a-z]+(?:\\d{1,2}[a-z]?)?(?:-[a-z]+(?:\\d{1,2}[a-z]?)?)+[\"']?$" (toString .))) -}}
other
{{- end -}}
{{- end -}}


{{- /* True if .value is secret by its .name (in .section; * in a string), "never" if it is not even one below a secret. */ -}}
{{- define "common.config.secret.name" -}}
{{- if or .hinted (regexMatch "pass|pwd?|secret|token|bearer|credential|cookie|key(?:[^s]|s[^t]|s?$)|kek|fernet|otp|psk|auths|basic.?auth|authorization|docker|approle.?role.?id|private|backend[_-]argument|backend[_-]url|backup[_-]gcs[_-]proxy[_-]url|connection|coordination[_-]url|flashblade[_-]api|messaging[_-]urls|netapp[_-]ca[_-]certificate[_-]file|netapp[_-]certificate[_-]file|redis[_-]url|replication[_-]device|swift[_-]store[_-]user|transport[_-]url|^(?:url|login)$" (lower .name)) -}}
{{- $text := ternary .value "" (kindIs "string" .value) -}}
{{- $option := replace "-" "_" .name -}}
{{- $place := ternary $option (printf "%s.%s" .section $option) (eq .section "") -}}
{{- $secret := list "asyncio_connection" "asyncio_slave_connection" "backend_argument" "backend_url" "backup_gcs_proxy_url" "backup_s3_sse_customer_key" "backup_swift_key" "connection" "coordination_url" "fixed_key" "flashblade_api" "heartbeat_key" "indexer.url" "messaging_urls" "netapp_ca_certificate_file" "netapp_certificate_file" "netapp_private_key_file" "p11_crypto_plugin.login" "persistence_connection" "redis_url" "replication_device" "s3_access_key_id" "slave_connection" "swift_key" "swift_store_application_credential_id" "swift_store_key" "swift_store_user" "swift_temp_url_key" "transport_url" -}}
{{- $settings := list "*.ban_ec2credential_tokens" "*.clean_priority_reset_ilo_credential" "*.enable_instance_password" "*.encryption_keys" "*.inject_password" "*.quota_secrets" "*.report_invalid_password_hash" "*.send_service_user_token" "DEFAULT.enable_instance_password" "api.enable_instance_password" "application_credential.caching" "application_credential.user_limit" "auth.ban_ec2credential_tokens" "auth_password.allowed_auth_uris" "auth_password.multi_cloud" "barbican.send_service_user_token" "certificates.ca_private_key" "credential.caching" "credential.user_limit" "ec2authtoken.allowed_auth_uris" "ec2authtoken.auth_uri" "ec2authtoken.clouds" "ec2authtoken.collect_timing" "ec2authtoken.connect_retries" "ec2authtoken.connect_retry_delay" "ec2authtoken.insecure" "ec2authtoken.multi_cloud" "ec2authtoken.retriable_status_codes" "ec2authtoken.split_loggers" "ec2authtoken.status_code_retries" "ec2authtoken.status_code_retry_delay" "ec2authtoken.timeout" "ec2authtoken.valid_interfaces" "ilo.clean_priority_reset_ilo_credential" "incoming.ceph_keyring" "inspection_rules.mask_secrets" "libvirt.inject_password" "quota.encryption_keys" "quotas.quota_secrets" "security_compliance.report_invalid_password_hash" "service_user.send_service_user_token" "token.cache_on_issue" "token.caching" "token.revoke_by_id" "totp.included_previous_windows" -}}
{{- $words := regexReplaceAll "[^A-Za-z0-9]+" (regexReplaceAll "([A-Z])([A-Z][a-z])" (regexReplaceAll "([a-z0-9])([A-Z])" (.name) "${1}_${2}") "${1}_${2}") "_" | lower | trunc -200 -}}
{{- $stem := regexReplaceAll "_?[0-9]+$|_(?:b64|base64|base|contents?|current|data|hash|new|old|pem|plain|string|text|value)$" $words "" -}}
{{- if or (has $place $settings) (and (contains ":" $text) (regexMatch "^\\\\?[\"']?\\(?(?:not )?(?:rule|role|is_admin|system_scope|project_id|user_id|domain_id):" $text)) -}}
never
{{- else if hasSuffix "authorization" $words -}}
{{- if (regexMatch "^[\"']?(?:[Bb][Aa][Ss][Ii][Cc]|[Bb][Ee][Aa][Rr][Ee][Rr]|[Dd][Ii][Gg][Ee][Ss][Tt]|[Tt][Oo][Kk][Ee][Nn])\\s" $text) -}}true{{- end -}}
{{- else if and (or (has $option $secret) (has $place $secret)) (not (contains "://" $text)) (or (not (kindIs "map" .value)) (eq (get (ternary .value dict (kindIs "map" .value)) "type" | toString) "multistring")) -}}
true
{{- else if and (eq $words "private") (regexMatch "^[\\w+/=-]{16,}$" $text) (regexMatch "[0-9]" $text) (regexMatch "[A-Za-z]" $text) -}}
true
{{- else if and (regexMatch "(?:password|passwd|passphrase|passcode|passkey|secret|token|bearer|credential|cookie|keyring|fernet|otp|psk|pwd|pw)s?$|(?:^|_)(?:(?:admin|bind|db|ldap|root|user)?pass|basic_auths?)$|(?:^|_)(?:secret|token|approle_role)_id$|(?:^|_)(?:access|account|admin|api|auth|aws|ca|ceph|client|crypto|deploy|dsa|ecdsa|ed25519|encrypt|encryption|fernet|hmac|kek|license|master|priv|private|rndc|root|rsa|secret|server|session|shared|signing|ssh|ssh_host|ssl|storage|tls|transport|tsig)_?keys?$|^_?(?:keys?|keks?|auths|docker_?config_?json|dockercfg)$" $stem) (not (regexMatch "^(?:allow|max|min)_|(?:^|_)(?:backend|cron|days|driver|enabled|expiration|port|provider|repository|seconds|time|ttl|window)$" $stem)) (not (and (hasSuffix "PWD" .name) (regexMatch "^(?:OLD)?PWD$" .name))) -}}
{{- $isSection := and (or (kindIs "map" .value) (kindIs "slice" .value)) (regexMatch "(?:^|_)(?:authtoken|service_credentials)$" $words) -}}
{{- $isFile := and (contains "/" $text) (regexMatch "(?:key|keyring)s?$" $stem) (regexMatch "^\\\\?[\"']?/(?:etc|home|mnt|opt|root|run|srv|usr|var)/[\\w./-]*\\\\?[\"']?,?$" $text) -}}
{{- if not (or $isSection $isFile) -}}true{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}


{{- /* True if a string contains a secret. */ -}}
{{- define "common.config.secret.text" -}}
{{- $text := . -}}
{{- if and (contains "://" .) (contains "@" .) (regexMatch "://[^\\s/@:\"']*:(?:[^\\s\"']|[\"']+[^\\s,:}\\])\"'])+[\"']*@" .) -}}
true
{{- else if and (regexMatch "-----begin|bearer|identified by|(?:/|\\.)(?:hooks|discord|discordapp|office|api\\.telegram)\\." (lower .)) (regexMatch "-----BEGIN [A-Z ]*PRIVATE KEY|(\\b[Ii][Dd][Ee][Nn][Tt][Ii][Ff][Ii][Ee][Dd] [Bb][Yy]\\s+)('[^']*'|\"[^\"]*\")|(\\bBearer\\s+)([a-z.~+/=_-]{0,3}[\\dA-Z][\\w.~+/=-]{4,}|[a-z.~+/=_-]{4,}[\\dA-Z][\\w.~+/=-]*)|(://(?:hooks\\.slack\\.com/(?:services|workflows|triggers)/|(?:[\\w-]+\\.)?discord(?:app)?\\.com/api/webhooks/|[\\w.-]+\\.office\\.com/webhookb2/|api\\.telegram\\.org/bot))([\\w%@.:/-]+)" .) -}}
true
{{- else if (regexMatch "pass|pwd?|secret|token|bearer|credential|cookie|key(?:[^s]|s[^t]|s?$)|kek|fernet|otp|psk|auths|basic.?auth|authorization|docker|approle.?role.?id|private|backend[_-]argument|backend[_-]url|backup[_-]gcs[_-]proxy[_-]url|connection|coordination[_-]url|flashblade[_-]api|messaging[_-]urls|netapp[_-]ca[_-]certificate[_-]file|netapp[_-]certificate[_-]file|redis[_-]url|replication[_-]device|swift[_-]store[_-]user|transport[_-]url|curl|mysql|mariadb|rabbitmqctl" (lower .)) -}}
{{- $patterns := ternary (dict "(<([\\w.-]+)>)([^<>]+)</" "${2}") dict (contains "</" .) -}}
{{- if (regexMatch "curl|mysql|mariadb|rabbitmqctl" .) -}}
{{- $patterns = merge $patterns (dict "(\\bcurl\\s(?:[^|;&\\n]{0,300}?\\s)?(?:-u|--user)[ =]?[\"']?[^\\s:\"']+:)([^\\s\"']+)" "password" "(\\b(?:mysql|mariadb)[\\w-]{0,40}\\s(?:[^|;&\\n]{0,300}?\\s)?-p)(\"[^\"]*\"|'[^']*'|\\S+)" "password" "(\\brabbitmqctl\\s[^|;&\\n]{0,300}?\\b(?:add_user|change_password)\\s+\\S+\\s+)(\"[^\"]*\"|'[^']*'|\\S+)" "password") -}}
{{- end -}}
{{- range $pattern, $name := $patterns -}}
{{- range $found := regexFindAll $pattern $text -1 -}}
{{- $value := regexReplaceAll $pattern $found (ternary "${2}" "${3}" (eq $name "password")) -}}
{{- $said := include "common.config.secret.name" (dict "name" (regexReplaceAll $pattern $found $name) "section" "*" "value" $value) -}}
{{- if and (eq $said "true") (not (regexMatch "^[\\\\\"']*(?:\\$\\{\\w+\\}|\\$\\(\\w+\\)|(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[Nn][Uu][Ll][Ll]|[Nn][Oo][Nn][Ee]|<[Nn][Oo][Nn][Ee]>)|\\*{3}|[|>][-+\\d]*|[{[]|\\$[A-Z_][A-Z0-9_]*|\\{\\{.*\\}\\})?[\\\\\"']*[\\s,;)}\\]]*$" $value)) -}}true{{- end -}}
{{- end -}}
{{- end -}}
{{- if contains "\n" . -}}
{{- include "common.config.secret.lines" . -}}
{{- else -}}
{{- include "common.config.secret.line" . -}}
{{- end -}}
{{- end -}}
{{- end -}}


{{- /* True if a line has a secret behind a flag or a key. */ -}}
{{- define "common.config.secret.line" -}}
{{- if (regexMatch "pass|pwd?|secret|token|bearer|credential|cookie|key(?:[^s]|s[^t]|s?$)|kek|fernet|otp|psk|auths|basic.?auth|authorization|docker|approle.?role.?id|private|backend[_-]argument|backend[_-]url|backup[_-]gcs[_-]proxy[_-]url|connection|coordination[_-]url|flashblade[_-]api|messaging[_-]urls|netapp[_-]ca[_-]certificate[_-]file|netapp[_-]certificate[_-]file|redis[_-]url|replication[_-]device|swift[_-]store[_-]user|transport[_-]url" (lower .)) -}}
{{- $line := . -}}
{{- range $pattern := list "((?:^|[^\\w-])--?([A-Za-z][\\w-]+)(?:[\"'],\\s*|\\s+))(\"[^\"-][^\"]*\"|'[^'-][^']*'|[\"']?[^\\s\"'-]\\S*)" "((?:^|[{;])\\s*([\\w.-]+)\\s+)(\"[^\"]*\"|'[^']*')\\s*(?:;|$)" -}}
{{- range $found := regexFindAll $pattern $line -1 -}}
{{- $word := regexReplaceAll $pattern $found "${3}" -}}
{{- $said := include "common.config.secret.name" (dict "name" (regexReplaceAll $pattern $found "${2}") "section" "*" "value" $word) -}}
{{- if and (eq $said "true") (not (regexMatch "^[\\\\\"']*(?:\\$\\{\\w+\\}|\\$\\(\\w+\\)|(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[Nn][Uu][Ll][Ll]|[Nn][Oo][Nn][Ee]|<[Nn][Oo][Nn][Ee]>)|\\*{3}|[|>][-+\\d]*|[{[]|\\$[A-Z_][A-Z0-9_]*|\\{\\{.*\\}\\})?[\\\\\"']*[\\s,;)}\\]]*$|^[\"']?(?:~|\\.{1,2})?/" $word)) -}}true{{- end -}}
{{- end -}}
{{- end -}}
{{- $seen := "" -}}
{{- $rest := . -}}
{{- range $found := regexFindAll "([\\w.-]+)[\\\\\"']*\\s*[:=]\\s*" . -1 -}}
{{- $parts := splitn $found 2 $rest -}}
{{- $rest = $parts._1 -}}
{{- $before := printf "%s%s" $seen $parts._0 | trunc -300 -}}
{{- $seen = printf "%s%s" $before $found -}}
{{- $key := regexFind "^[[:word:].-]+" $found -}}
{{- $said := "" -}}
{{- if eq $key "value" -}}
{{- $name := regexReplaceAll "\\b(?:name|key)[\"']?\\s*:\\s*[\"']?([\\w.-]+)[\"']?\\s*,\\s*[\"']?$" (regexFind "\\b(?:name|key)[\"']?\\s*:\\s*[\"']?([\\w.-]+)[\"']?\\s*,\\s*[\"']?$" $before) "${1}" -}}
{{- $said = include "common.config.secret.name" (dict "name" $name "section" "" "value" dict) -}}
{{- else -}}
{{- $said = include "common.config.secret.name" (dict "name" $key "section" "*" "value" $rest) -}}
{{- end -}}
{{- if and (contains "." $key) (ne $said "true") -}}
{{- $above := "" -}}
{{- range $part := splitList "." $key -}}
{{- $value := ternary $rest dict (hasSuffix (printf ".%s" $part) $key) -}}
{{- $name := include "common.config.secret.name" (dict "name" $part "section" $above "value" $value) -}}
{{- $below := and (eq $said "true") (ne $name "never") (not (regexMatch "^(?:allow|max|min)_|(?:^|_)(?:backend|cron|days|driver|enabled|expiration|port|provider|repository|seconds|time|ttl|window)$" (regexReplaceAll "[^A-Za-z0-9]+" (regexReplaceAll "([A-Z])([A-Z][a-z])" (regexReplaceAll "([a-z0-9])([A-Z])" ($part) "${1}_${2}") "${1}_${2}") "_" | lower | trunc -200))) -}}
{{- $said = ternary "true" "" (or $below (eq $name "true")) -}}
{{- $above = $part -}}
{{- end -}}
{{- end -}}
{{- if and (eq $said "true") $rest (not (regexMatch "^[\\\\\"']*(?:\\$\\{\\w+\\}|\\$\\(\\w+\\)|(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[Nn][Uu][Ll][Ll]|[Nn][Oo][Nn][Ee]|<[Nn][Oo][Nn][Ee]>)|\\*{3}|[|>][-+\\d]*|[{[]|\\$[A-Z_][A-Z0-9_]*|\\{\\{.*\\}\\})?[\\\\\"']*[\\s,;)}\\]]*$" $rest)) -}}
{{- $isEntryPoint := and (contains "." $key) (regexMatch "^[\\w.]+:(?:[\\w.]*[._])?(?:app|application|factory|main)\\b" (printf "%s%s" $found $rest)) -}}
{{- if not (or $isEntryPoint (regexMatch "KeyRef[\"']?\\s*:\\s*\\{[^}]*$" $before)) -}}true{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}


{{- /* True if any line has a secret, or opens one for the lines below it. */ -}}
{{- define "common.config.secret.lines" -}}
{{- $open := dict "kind" "" "indent" 0 "key" "" -}}
{{- range $line := splitList "\n" . -}}
{{- if or $open.kind (regexMatch "pass|pwd?|secret|token|bearer|credential|cookie|key(?:[^s]|s[^t]|s?$)|kek|fernet|otp|psk|auths|basic.?auth|authorization|docker|approle.?role.?id|private|backend[_-]argument|backend[_-]url|backup[_-]gcs[_-]proxy[_-]url|connection|coordination[_-]url|flashblade[_-]api|messaging[_-]urls|netapp[_-]ca[_-]certificate[_-]file|netapp[_-]certificate[_-]file|redis[_-]url|replication[_-]device|swift[_-]store[_-]user|transport[_-]url" (lower $line)) -}}
{{- $before := regexFind "^\\s*(?:-\\s+)?" $line -}}
{{- $content := trimPrefix $before $line -}}
{{- if $content -}}
{{- $inside := include "common.config.secret.inside" (dict "open" $open "before" $before "content" $content) -}}
{{- if eq $inside "true" -}}
true
{{- else if not $inside -}}
{{- include "common.config.secret.line" $line -}}
{{- include "common.config.secret.open" (dict "open" $open "line" $line) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Sets .open if a line opens a secret, and clears it otherwise. */ -}}
{{- define "common.config.secret.open" -}}
{{- $_ := set .open "kind" "" -}}
{{- range $kind, $pattern := dict "flag" "^\\s*-\\s+[\"']?--?([A-Za-z][\\w-]+)[\"']?\\s*$" "section" "^\\s*\\[([\\w.-]*[Pp][Aa][Ss][Ss](?:[Ww][Oo][Rr][Dd])?[Ss])\\]\\s*$" "named" "^(\\s*(?:-\\s+)*)[\"']?(?:name|key)[\"']?\\s*:\\s*[\"']?([\\w.-]+)[\"']?,?\\s*$" "below" "^(\\s*(?:-\\s+)*)[\"']?([\\w.-]+)[\"']?\\s*[:=]\\s*(?:([|>][-+\\d]*|[{[])\\s*)?(?:#.*)?$" -}}
{{- if and (not $.open.kind) (regexMatch $pattern $.line) -}}
{{- $isApart := has $kind (list "below" "named") -}}
{{- $key := regexReplaceAll $pattern $.line (ternary "${2}" "${1}" $isApart) -}}
{{- $reference := and (eq $kind "below") (hasSuffix "KeyRef" $key) -}}
{{- $value := ternary "" dict (eq $kind "below") -}}
{{- $said := include "common.config.secret.name" (dict "name" $key "section" "*" "value" $value) -}}
{{- if or $reference (eq $kind "section") (eq $said "true") -}}
{{- $isBlock := and (eq $kind "below") (regexMatch "^[|>]" (regexReplaceAll $pattern $.line "${3}")) -}}
{{- $_ := set $.open "kind" (ternary "reference" (ternary "block" $kind $isBlock) $reference) -}}
{{- $_ := set $.open "indent" (regexReplaceAll $pattern $.line "${1}" | len) -}}
{{- $_ := set $.open "key" $key -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}


{{- /* True if a line is a secret because of .open, "inside" if it belongs to .open and is none. */ -}}
{{- define "common.config.secret.inside" -}}
{{- $open := .open -}}
{{- $isKeyed := (regexMatch "^([\"']?([\\w.-]+)[\"']?\\s*(?::\\s+|:$|=\\s*))(.*)$" .content) -}}
{{- $key := ternary (regexReplaceAll "^([\"']?([\\w.-]+)[\"']?\\s*(?::\\s+|:$|=\\s*))(.*)$" .content "${2}") "" $isKeyed -}}
{{- $rest := ternary (regexReplaceAll "^([\"']?([\\w.-]+)[\"']?\\s*(?::\\s+|:$|=\\s*))(.*)$" .content "${3}") "" $isKeyed -}}
{{- $isDeeper := gt (len .before) (int $open.indent) -}}
{{- $isPlaceholder := (regexMatch "^[\\\\\"']*(?:\\$\\{\\w+\\}|\\$\\(\\w+\\)|(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[Nn][Uu][Ll][Ll]|[Nn][Oo][Nn][Ee]|<[Nn][Oo][Nn][Ee]>)|\\*{3}|[|>][-+\\d]*|[{[]|\\$[A-Z_][A-Z0-9_]*|\\{\\{.*\\}\\})?[\\\\\"']*[\\s,;)}\\]]*$" $rest) -}}
{{- if eq $open.kind "flag" -}}
{{- if not (regexMatch "^-|^[\\\\\"']*(?:\\$\\{\\w+\\}|\\$\\(\\w+\\)|(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[Nn][Uu][Ll][Ll]|[Nn][Oo][Nn][Ee]|<[Nn][Oo][Nn][Ee]>)|\\*{3}|[|>][-+\\d]*|[{[]|\\$[A-Z_][A-Z0-9_]*|\\{\\{.*\\}\\})?[\\\\\"']*[\\s,;)}\\]]*$|^[\"']?(?:~|\\.{1,2})?/" .content) -}}true{{- end -}}
{{- else if eq $open.kind "section" -}}
{{- if and $isKeyed (not (hasPrefix "[" .content)) -}}{{- ternary "inside" "true" $isPlaceholder -}}{{- end -}}
{{- else if eq $open.kind "named" -}}
{{- if and (eq $key "value") (eq (len .before) (int $open.indent)) -}}
{{- $_ := set $open "kind" (ternary "block" "" (regexMatch "^[|>]|^$" $rest)) -}}
{{- ternary "inside" "true" $isPlaceholder -}}
{{- end -}}
{{- else if and $isDeeper (eq $open.kind "block") -}}
true
{{- else if and $isDeeper (eq $open.kind "reference") -}}
{{- if and $isKeyed (regexMatch "KeyRef\\.key$|(?:KeyRef|^secrets?|Secrets?)\\.(?:name|namespace|secretName|items|defaultMode|optional)$" (printf "%s.%s" $open.key $key)) -}}inside{{- end -}}
{{- else if and $isDeeper (eq $open.kind "below") -}}
{{- if not $isKeyed -}}
true
{{- else if eq "true" (include "common.config.secret.name" (dict "name" $open.key "section" "*" "value" dict)) -}}
{{- $isSetting := (regexMatch "^(?:allow|max|min)_|(?:^|_)(?:backend|cron|days|driver|enabled|expiration|port|provider|repository|seconds|time|ttl|window)$" (regexReplaceAll "[^A-Za-z0-9]+" (regexReplaceAll "([A-Z])([A-Z][a-z])" (regexReplaceAll "([a-z0-9])([A-Z])" ($key) "${1}_${2}") "${1}_${2}") "_" | lower | trunc -200)) -}}
{{- $isReference := (regexMatch "KeyRef\\.key$|(?:KeyRef|^secrets?|Secrets?)\\.(?:name|namespace|secretName|items|defaultMode|optional)$" (printf "%s.%s" $open.key $key)) -}}
{{- $isName := and (has $open.key (list "secrets" "keyrings")) (regexMatch "^[\"']?[a-z]+(?:\\d{1,2}[a-z]?)?(?:-[a-z]+(?:\\d{1,2}[a-z]?)?)+[\"']?$" $rest) -}}
{{- ternary "inside" "true" (or $isPlaceholder $isSetting $isReference $isName) -}}
{{- end -}}
{{- end -}}
{{- end -}}
