{{- /*
Creates or rotates the keys in a Secret of the release: keystone-keys.py setup|rotate fernet|credential.
Existing keys are never created again, and a concurrent change is never overwritten.
*/ -}}
{{- define "common.scripts.keystone-keys.py" -}}
"""Makes the keys in the Secret $KEYS_SECRET if it has none (setup), or adds one and drops the oldest (rotate)."""
import base64
import pathlib
import subprocess
import sys
import tempfile

{{ include "common.scripts.cluster" . }}

action, kind = sys.argv[1:]
groups = {"fernet": ["FERNET_TOKENS", "FERNET_RECEIPTS"], "credential": ["CREDENTIAL"]}[kind]
path = "/api/v1/namespaces/%s/secrets/%s" % (NAMESPACE, os.environ["KEYS_SECRET"])

secret = request("GET", path)
before = secret.get("data") or {}
if action == "setup" and before:
    print("the keys are there")
    sys.exit()

repository = pathlib.Path(tempfile.mkdtemp())
for name, value in before.items():
    (repository / name).write_bytes(base64.b64decode(value))
places = {"OS_%s__KEY_REPOSITORY" % group: str(repository) for group in groups}
owner = ["--keystone-user", str(os.getuid()), "--keystone-group", str(os.getgid())]
subprocess.run(["keystone-manage", "%s_%s" % (kind, action), *owner], env={**os.environ, **places}, check=True)

after = {file.name: base64.b64encode(file.read_bytes()).decode() for file in repository.iterdir() if file.name.isdigit()}
gone = {name: None for name in before if name not in after}
version = {"resourceVersion": secret["metadata"]["resourceVersion"]}
request("PATCH", path, {"metadata": version, "data": {**after, **gone}})
print("%d keys" % len(after))
{{ end -}}

{{- /* Issues a token, and lists the catalogue. */ -}}
{{- define "common.scripts.keystone-test.sh" -}}
set -eu
openstack token issue --format value --column expires
openstack catalog list
{{ end -}}
