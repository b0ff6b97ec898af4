{{- /*
Adapts the facts to `federation`, in the section or below `global`: with an identity provider, the API has the
secret of its client, and a job registers it; without one, the job is omitted.
*/ -}}
{{- define "keystone.federation" -}}
{{- $federation := dict -}}
{{- range $layer := list (get .Values "global" | default dict) .Values -}}
{{- include "common.context.merge" (dict "into" $federation "from" $layer.federation) -}}
{{- end -}}
{{- $oidc := $federation.oidc -}}
{{- if not $oidc -}}
{{- $_ := unset .Values.jobs "federation" -}}
{{- else -}}
{{- range $key := list "name" "issuer" "client_id" "client_secret" "mapping" -}}
{{- if not (get $oidc $key) -}}
{{- fail (printf "federation.oidc.%s is needed and not set: kk docs oidc has an example" $key) -}}
{{- end -}}
{{- end -}}
{{- $secret := dict "OIDC_CLIENT_SECRET" $oidc.client_secret -}}
{{- include "common.context.merge" (dict "into" .Values.components "from" (dict "api" (dict "variables" $secret))) -}}
{{- $registered := pick $oidc "name" "issuer" "domain" "mapping" -}}
{{- include "common.context.merge" (dict "into" .Values.jobs "from" (dict "federation" (dict "variables" (dict "FEDERATION" (dict "json" $registered))))) -}}
{{- end -}}
{{- end -}}

{{- /* The options of keystone.conf with an identity provider. */ -}}
{{- define "common.config.block.federation" -}}
{{- $oidc := dig "oidc" dict (.ctx.values.federation | default dict) -}}
{{- if $oidc -}}
{{- $dashboard := include "common.endpoints.uri" (dict "ctx" .ctx "type" "dashboard" "interface" "public") | trimSuffix "/" -}}
options:
  auth: {methods: [external, password, token, oauth1, mapped, application_credential, openid]}
  # A variable of Apache's module, not a header, which any client could send.
  openid: {remote_id_attribute: OIDC-iss}
  federation:
    trusted_dashboard: {type: multistring, values: {{ $oidc.dashboards | default (list (printf "%s/auth/websso/" $dashboard)) | toJson }}}
{{- end -}}
{{- end -}}

{{- /*
With an identity provider, uwsgi serves Apache on a socket, and runs it: Apache ends its requests before it
stops, and loads a new certificate.
*/ -}}
{{- define "common.config.block.uwsgi_behind_apache" -}}
{{- if dig "oidc" dict (.ctx.values.federation | default dict) -}}
options:
  uwsgi:
    http: null
    socket: /tmp/keystone.sock
    attach-daemon2: cmd=apache2 -DFOREGROUND -f /etc/keystone/apache.conf,stopsignal=28{{ if .ctx.values.tls.internal }},touch=/etc/tls/tls.crt,reloadsignal=10{{ end }}
{{- end -}}
{{- end -}}

{{- /*
The configuration of Apache in front of Keystone: OpenID Connect for the URLs of the federation, and uwsgi
behind it. Claims are passed as variables, which a client cannot set by headers. A bearer token must be
issued to this client, or for it.
*/ -}}
{{- define "common.config.block.apache_oidc" -}}
{{- $oidc := dig "oidc" dict (.ctx.values.federation | default dict) -}}
{{- if $oidc -}}
{{- $identity := dict "ctx" .ctx "type" "identity" -}}
{{- $public := include "common.endpoints.uri" (merge (dict "interface" "public") $identity) | urlParse -}}
{{- $metadata := printf "%s/.well-known/openid-configuration" (trimSuffix "/" $oidc.issuer) -}}
{{- $modules := list "mpm_event" "authn_core" "authz_core" "authz_user" "auth_openidc" "proxy" "proxy_uwsgi" -}}
{{- if .ctx.values.tls.internal }}{{ $modules = append $modules "ssl" }}{{ end -}}
options:
  LoadModule:
    {{- range $modules }}
    - {{ . }}_module /usr/lib/apache2/modules/mod_{{ . }}.so
    {{- end }}
  DefaultRuntimeDir: /tmp
  PidFile: /tmp/apache.pid
  # The user of the pod may not open its standard streams again.
  ErrorLog: "|/bin/cat"
  Listen: 0.0.0.0:{{ include "common.endpoints.port" (merge (dict "interface" "service") $identity) }}
  # The scheme of the URLs to which browsers return, whatever serves TLS in front.
  ServerName: {{ $public.scheme }}://{{ $public.host }}
  ServerTokens: Prod
  TraceEnable: "Off"
  LimitRequestFieldSize: 32768
  ProxyPass: / unix:/tmp/keystone.sock|uwsgi://keystone/
  {{- if .ctx.values.tls.internal }}
  SSLEngine: "On"
  SSLCertificateFile: /etc/tls/tls.crt
  SSLCertificateKeyFile: /etc/tls/tls.key
  {{- end }}
  OIDCProviderMetadataURL: {{ $metadata }}
  OIDCOAuthServerMetadataURL: {{ $metadata }}
  OIDCClientID: {{ quote $oidc.client_id }}
  OIDCOAuthClientID: {{ quote $oidc.client_id }}
  OIDCClientSecret: ${OIDC_CLIENT_SECRET}
  OIDCOAuthClientSecret: ${OIDC_CLIENT_SECRET}
  OIDCCryptoPassphrase: ${OIDC_CLIENT_SECRET}
  OIDCRedirectURI: {{ printf "%s://%s%s" $public.scheme $public.host $public.path }}/auth/OS-FEDERATION/redirect_uri
  OIDCResponseType: code
  OIDCPKCEMethod: S256
  OIDCScope: {{ $oidc.scope | default "openid email profile" | quote }}
  OIDCClaimPrefix: OIDC-
  OIDCClaimDelimiter: ;
  OIDCPassClaimsAs: environment
  OIDCRemoteUserClaim: sub
  OIDCOAuthRemoteUserClaim: sub
  # A browser may come back to another pod.
  OIDCCacheType: memcache
  OIDCMemCacheServers: {{ include "common.endpoints.members" (dict "ctx" .ctx "type" "oslo_cache" "port" "memcache") | replace "," " " | quote }}
  LocationMatch ^/v3/(auth/OS-FEDERATION/(redirect_uri|websso/|identity_providers/)|OS-FEDERATION/identity_providers/[^/]+/protocols/[^/]+/auth):
    AuthType: auth-openidc
    RequireAny:
      Require:
        {{- range $claim := list "aud" "azp" "client_id" }}
        - claim {{ $claim }}:{{ $oidc.client_id }}
        {{- end }}
{{- end -}}
{{- end -}}

{{- /*
Directives of Apache: those of a list are repeated, a map is a section. LoadModule comes first, because Apache
reads its file from top to bottom.
*/ -}}
{{- define "common.config.format.apache" -}}
{{- range $value := .LoadModule }}
LoadModule {{ $value }}
{{- end }}
{{- $sections := dict -}}
{{- range $name, $value := omit . "LoadModule" }}
{{- if kindIs "map" $value }}
{{- $_ := set $sections $name $value }}
{{- else }}
{{- range ternary $value (list $value) (kindIs "slice" $value) }}
{{ $name }} {{ include "common.config.format.apache.arguments" (dict "name" $name "text" (include "common.config.scalar" .)) }}
{{- end }}
{{- end }}
{{- end }}
{{- range $name, $value := $sections }}
{{- $parts := splitn " " 2 $name }}
<{{ $parts._0 }}{{ with $parts._1 }} {{ quote . }}{{ end }}>
{{- include "common.config.format.apache" $value }}
</{{ $parts._0 }}>
{{- end }}
{{- end -}}

{{- /* One argument, in quotes if Apache would read it as several; those of some directives are several. */ -}}
{{- define "common.config.format.apache.arguments" -}}
{{- $isSeveral := has .name (list "LoadModule" "ProxyPass" "Require") -}}
{{- ternary .text (printf "\"%s\"" .text) $isSeveral -}}
{{- end -}}

{{- /* Registers the identity provider, its mapping, its protocol and the domain of its users. */ -}}
{{- define "common.scripts.keystone-federation.py" -}}
"""Puts the domain, mapping, identity provider and protocol of FEDERATION into keystone; changes what differs."""
import json
import os

import openstack
from openstack import exceptions

identity = openstack.connect().identity
wanted = json.loads(os.environ["FEDERATION"])
name = wanted["name"]


def have(path, kind, body, **fixed):
    """Creates an object of the federation, with what no later request may change, or updates it."""
    if identity.get(path).status_code == 404:
        answer = identity.put(path, json={kind: {**body, **fixed}})
    else:
        answer = identity.patch(path, json={kind: body})
    exceptions.raise_from_response(answer)
    print("%s %s" % (kind, path.rsplit("/", 1)[1]))


domain = wanted.get("domain") or name
domain_id = (identity.find_domain(domain) or identity.create_domain(name=domain)).id
provider = "/OS-FEDERATION/identity_providers/%s" % name
have("/OS-FEDERATION/mappings/%s" % name, "mapping", {"rules": wanted["mapping"]})
have(provider, "identity_provider", {"remote_ids": [wanted["issuer"]], "enabled": True}, domain_id=domain_id)
have("%s/protocols/openid" % provider, "protocol", {"mapping_id": name})
{{ end -}}
