{{- /*
Django's settings that follow from the endpoints. Without them, behind a proxy that terminates TLS, it would
refuse every form.
*/ -}}
{{- define "common.config.block.horizon" -}}
{{- $public := dict "ctx" .ctx "type" "dashboard" "interface" "public" -}}
options:
  {{- if eq (include "common.endpoints.value" (merge (dict "attribute" "scheme") $public)) "https" }}
  SESSION_COOKIE_SECURE: true
  CSRF_COOKIE_SECURE: true
  CSRF_TRUSTED_ORIGINS: [{{ include "common.endpoints.uri" $public | trimSuffix "/" | quote }}]
  SECURE_PROXY_SSL_HEADER: [HTTP_X_FORWARDED_PROTO, https]
  {{- end }}
  SECRET_KEY: {{ include "common.endpoints.credential" (dict "ctx" .ctx "path" "dashboard.secret_key") | quote }}
  OPENSTACK_HOST: {{ include "common.endpoints.host" (dict "ctx" .ctx "type" "identity") | quote }}
  OPENSTACK_KEYSTONE_URL: {{ include "common.endpoints.uri" (dict "ctx" .ctx "type" "identity") | quote }}
  {{- with dig "oidc" dict (.ctx.values.federation | default dict) }}
  WEBSSO_ENABLED: true
  WEBSSO_KEYSTONE_URL: {{ include "common.endpoints.uri" (dict "ctx" $.ctx "type" "identity" "interface" "public") | quote }}
  WEBSSO_CHOICES: [[credentials, Keystone Credentials], [{{ quote .name }}, {{ .public_name | default .name | quote }}]]
  WEBSSO_IDP_MAPPING: { {{ quote .name }}: [{{ quote .name }}, openid] }
  {{- end }}
  CACHES:
    default:
      BACKEND: django.core.cache.backends.memcached.PyMemcacheCache
      LOCATION: {{ include "common.endpoints.members" (dict "ctx" .ctx "type" "oslo_cache" "port" "memcache") | splitList "," | toJson }}
      OPTIONS: {ignore_exc: true}
    # Parts of pages refer to scripts of the image: in memcached, pods of one release would find those of another.
    template_fragments: {BACKEND: django.core.cache.backends.locmem.LocMemCache}
{{- end -}}

{{- define "common.scripts.horizon-test.py" -}}
"""Asks for the dashboard and expects its login form."""
import os
import urllib.request

with urllib.request.urlopen(os.environ["DASHBOARD"], timeout=30) as answer:
    assert b"csrfmiddlewaretoken" in answer.read(), "no login form at %s" % answer.url
{{ end -}}
