{{- /*
The stores of resources, new measures, and aggregates. Files would need volumes that all pods share: for
`driver: file`, set `conf.gnocchi.storage` and `pod.mounts`.
*/ -}}
{{- define "common.config.block.measures" -}}
{{- $coordination := fromYaml (include "common.config.block.coordination" .) -}}
{{- $valkey := $coordination.options.coordination.backend_url -}}
needs: [oslo_db]
options:
  DEFAULT:
    coordination_url: {{ quote $valkey }}
  indexer:
    url: {{ include "common.endpoints.database" (dict "ctx" .ctx "name" "gnocchi" "user" "gnocchi") | quote }}
  incoming:
    driver: redis
    redis_url: {{ quote $valkey }}
  storage:
    {{- if eq .ctx.values.storage.backend "ceph" }}
    driver: ceph
    ceph_pool: metrics
    ceph_username: gnocchi
    ceph_conffile: /etc/ceph/ceph.conf
    {{- else }}
    driver: redis
    redis_url: {{ quote $valkey }}
    {{- end }}
{{- end -}}

{{- /* Stores and reads a measure, which takes a token, the index, and the store. */ -}}
{{- define "common.scripts.gnocchi-test.py" -}}
"""Creates a metric, stores a measure, reads its aggregate, and deletes the metric."""
import datetime

import openstack

session = openstack.connect().session
WHERE = {"endpoint_filter": {"service_type": "metric", "interface": "internal"}}

metric = session.post("/v1/metric", json={"archive_policy_name": "low"}, **WHERE).json()["id"]
path = "/v1/metric/%s" % metric
try:
    now = datetime.datetime.now(datetime.timezone.utc).isoformat()
    session.post(path + "/measures", json=[{"timestamp": now, "value": 42.0}], **WHERE)
    measures = session.get(path + "/measures?refresh=true", **WHERE).json()
    assert measures and measures[-1][2] == 42.0, measures
finally:
    session.delete(path, **WHERE)
print("a measure was stored and read: %s" % measures[-1])
{{ end -}}
