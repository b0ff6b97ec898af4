{{- /* RabbitMQ's management API as its administrator, for scripts that include it: bus(method, *path, **body). */ -}}
{{- define "common.scripts.bus" -}}
import base64
import urllib.error
import urllib.parse
import urllib.request


def bus(method, *path, **body):
    where = "{{ ternary "https" "http" .values.tls.internal }}://%(BUS_HOST)s:%(BUS_PORT)s/api/" % os.environ + "/".join(urllib.parse.quote(part, safe="") for part in path)
    login = base64.b64encode(("%(BUS_ADMIN_USER)s:%(BUS_ADMIN_PASSWORD)s" % os.environ).encode()).decode()
    call = urllib.request.Request(where, method=method, headers={"Authorization": "Basic " + login})
    with urllib.request.urlopen(call, json.dumps(body).encode(), timeout=30) as answer:
        return json.loads(answer.read() or "null")
{{- end -}}

{{- define "common.scripts.bus-create.py" -}}
"""Makes the user of a service on the message bus, for its virtual host alone; says again what is already so."""
import json
import os

{{ include "common.scripts.bus" . }}


user = os.environ["BUS_USER"]
bus("PUT", "users", user, password=os.environ["BUS_PASSWORD"], tags="")
bus("PUT", "permissions", os.environ["BUS_VIRTUAL_HOST"], user, configure=".*", write=".*", read=".*")
print("user %s" % user)
{{ end -}}
