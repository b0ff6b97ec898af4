{{- /* Creates an alarm and finds it by its name, which takes a token and the database. */ -}}
{{- define "common.scripts.aodh-test.py" -}}
"""Creates an alarm, finds it and deletes it."""
import openstack

session = openstack.connect().session
WHERE = {"endpoint_filter": {"service_type": "alarming", "interface": "internal"}}

rule = {"event_type": "kk.test", "query": []}
alarm = session.post("/v2/alarms", json={"name": "kk-test", "type": "event", "event_rule": rule}, **WHERE).json()
try:
    names = [each["name"] for each in session.get("/v2/alarms", **WHERE).json()]
    assert "kk-test" in names, names
finally:
    session.delete("/v2/alarms/%s" % alarm["alarm_id"], **WHERE)
print("an alarm was created, found and deleted")
{{ end -}}
