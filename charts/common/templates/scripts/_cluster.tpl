{{- /* The Kubernetes API with nothing but Python's own library, for scripts that include it: request(method, path, body). */ -}}
{{- define "common.scripts.cluster" -}}
import json
import os
import ssl
import urllib.request

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
NAMESPACE = os.environ["POD_NAMESPACE"]


def request(method, path, body=None):
    with open(ACCOUNT + "/token") as token:
        headers = {"Authorization": "Bearer " + token.read(), "Accept": "application/json"}
    data = None
    if body is not None:
        data = json.dumps(body).encode()
        headers["Content-Type"] = "application/merge-patch+json" if method == "PATCH" else "application/json"
    host = os.environ["KUBERNETES_SERVICE_HOST"]
    host = "[%s]" % host if ":" in host else host
    url = "https://%s:%s%s" % (host, os.environ["KUBERNETES_SERVICE_PORT"], path)
    call = urllib.request.Request(url, data=data, headers=headers, method=method)
    trust = ssl.create_default_context(cafile=ACCOUNT + "/ca.crt")
    with urllib.request.urlopen(call, context=trust, timeout=30) as answer:
        return json.load(answer)
{{- end -}}
