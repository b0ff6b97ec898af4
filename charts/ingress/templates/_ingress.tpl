{{- /*
The entry points. HTTP redirects to HTTPS. There is no timeout of requests, because an upload of an image
takes longer than Traefik's minute. A service whose pods are all down answers 503, not as an unknown one.
*/ -}}
{{- define "common.config.block.traefik" -}}
{{- $port := dict "ctx" .ctx "type" "ingress" -}}
{{- $own := merge (dict "interface" "service") $port -}}
options:
  entryPoints:
    http:
      address: ":{{ include "common.endpoints.port" (merge (dict "port" "http") $own) }}"
      http: {redirections: {entryPoint: {to: ":{{ include "common.endpoints.port" (merge (dict "port" "https") $port) }}", scheme: https, permanent: true}}}
    https:
      address: ":{{ include "common.endpoints.port" (merge (dict "port" "https") $own) }}"
      asDefault: true
      http: {tls: {}, middlewares: [forwarded@file]}
      transport: {respondingTimeouts: {readTimeout: 0s}}
  ping: {entryPoint: http}
  providers:
    file: {filename: /etc/traefik/dynamic.yaml}
    kubernetesIngress:
      namespaces: [{{ .ctx.namespace }}]
      ingressClass: {{ .ctx.values.ingress.class }}
      allowEmptyServices: true
      strictPrefixMatching: true
{{- end -}}

{{- /*
Connections to servers. For a WebSocket Traefik sets the client's scheme to `wss`, but nova's consoles expect
that of URLs. With TLS inside, it connects to pods, whose certificates share one name.
*/ -}}
{{- define "common.config.block.backends" -}}
options:
  http:
    middlewares: {forwarded: {headers: {customRequestHeaders: {X-Forwarded-Proto: https}}}}
    {{- if .ctx.values.tls.internal }}
    serversTransports:
      internal:
        serverName: servers.{{ .ctx.namespace }}.svc.{{ .ctx.endpoints.cluster_domain_suffix }}
        rootCAs: [/etc/tls/ca.crt]
    {{- end }}
{{- end -}}

{{- define "common.scripts.ingress-test.py" -}}
"""Opens each public name by TLS, with its certificate and HTTP/2, is redirected there from HTTP, and is refused for an unknown name."""
import http.client
import os
import socket
import ssl

HOST, HTTP, HTTPS = os.environ["HOST"], int(os.environ["HTTP"]), int(os.environ["HTTPS"])
AUTHORITY = "/certificate/ca.crt"
{{- $names := list -}}
{{- range $type, $_ := omit .endpoints "cluster_domain_suffix" -}}
{{- $names = append $names (include "common.endpoints.value" (dict "ctx" $ "type" $type "attribute" "host_fqdn_override" "interface" "public")) -}}
{{- end }}
NAMES = {{ compact $names | uniq | sortAlpha | toJson }}


def hello(name):
    # The protocol that was negotiated with the server of a name.
    context = ssl.create_default_context(cafile=AUTHORITY if os.path.exists(AUTHORITY) else None)
    context.set_alpn_protocols(["h2", "http/1.1"])
    with socket.create_connection((HOST, HTTPS), 10) as plain, context.wrap_socket(plain, server_hostname=name) as secure:
        return secure.selected_alpn_protocol()


for name in NAMES:
    assert hello(name) == "h2", "%s is not served by HTTP/2" % name
    print(name)

plain = http.client.HTTPConnection(HOST, HTTP, timeout=10)
plain.request("GET", "/v3", headers={"Host": NAMES[0] if NAMES else "nobody.invalid"})
answer = plain.getresponse()
assert answer.status in (301, 308) and answer.getheader("Location").startswith("https://"), "HTTP does not redirect to HTTPS: %s" % answer.status

try:
    hello("nobody.invalid")
    raise SystemExit("an unknown name is served")
except ssl.SSLError as error:
    print("nobody.invalid: %s" % error)
{{ end -}}
