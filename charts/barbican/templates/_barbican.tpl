{{- /*
The key that encrypts the keys of all projects. Former keys belong into
`conf.crypto.simple_crypto_plugin.kek`, a multistring, too.
*/ -}}
{{- define "common.config.block.simple_crypto" -}}
options:
  simple_crypto_plugin:
    kek: {{ include "common.endpoints.credential" (dict "ctx" .ctx "path" "key_manager.simple_crypto_kek") | quote }}
{{- end -}}

{{- /* Stores and reads a secret, which takes a token, the database and the key. */ -}}
{{- define "common.scripts.barbican-test.py" -}}
"""Stores a secret, reads it and deletes it."""
import openstack

session = openstack.connect().session
WHERE = {"endpoint_filter": {"service_type": "key-manager", "interface": "internal"}}
PAYLOAD = "kk-test's secret"

secret = {"name": "kk-test", "payload": PAYLOAD, "payload_content_type": "text/plain"}
stored = session.post("/v1/secrets", json=secret, **WHERE)
path = "/v1/secrets/" + stored.json()["secret_ref"].rsplit("/", 1)[1]
try:
    fetched = session.get(path + "/payload", headers={"Accept": "text/plain"}, **WHERE)
    assert fetched.text == PAYLOAD, "the secret has changed"
finally:
    session.delete(path, **WHERE)
print("a secret was stored, read and deleted")
{{ end -}}
