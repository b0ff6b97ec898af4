{{- /*
OVSDB's protocol (RFC 7047) with nothing but Python's own library, for scripts that include it:
transact(member, database, operation…) and rows(member, database, table, columns) of a member, such as
`tcp:HOST:PORT`; increase(member), as `ovn-nbctl sync` and neutron ask whether all follow.
*/ -}}
{{- define "common.scripts.ovsdb" -}}
import json
import socket
import ssl
import time

increased = {"at": None}


def transact(member, database, *operations):
    scheme, rest = member.split(":", 1)
    host, port = rest.rsplit(":", 1)
    with socket.create_connection((host.strip("[]"), int(port)), timeout=5) as channel:
        {{- if .values.tls.internal }}
        if scheme == "ssl":
            context = ssl.create_default_context(cafile="/etc/tls/ca.crt")
            context.load_cert_chain("/etc/tls/tls.crt", "/etc/tls/tls.key")
            channel = context.wrap_socket(channel, server_hostname=host)
        {{- end }}
        channel.sendall(json.dumps({"method": "transact", "params": [database, *operations], "id": 0}).encode())
        received = b""
        while True:
            chunk = channel.recv(65536)
            if not chunk:
                raise OSError("%s closed the connection" % member)
            received += chunk
            try:
                answer = json.loads(received)
                break
            except ValueError:
                continue
    failed = [part for part in answer["result"] or [answer] if part and part.get("error")]
    if failed:
        raise OSError("%s: %s" % (member, failed[0].get("details") or failed[0]["error"]))
    return answer["result"]


def plain(value):
    """A value of OVSDB: a map, a set, or itself."""
    if isinstance(value, list) and value[0] == "map":
        return dict(value[1])
    if isinstance(value, list) and value[0] == "set":
        return value[1]
    return value


def rows(member, database, table, columns, where=()):
    found = transact(member, database, {"op": "select", "table": table, "where": list(where), "columns": columns})
    return [{name: plain(value) for name, value in row.items()} for row in found[0]["rows"]]


def increase(member):
    """Increases the number that northd, controllers and agents copy, at most once a minute. Returns whether it is the first time."""
    is_first = increased["at"] is None
    if is_first or time.monotonic() - increased["at"] >= 60:
        step = {"op": "mutate", "table": "NB_Global", "where": [], "mutations": [["nb_cfg", "+=", 1]]}
        transact(member, "OVN_Northbound", step)
        increased["at"] = time.monotonic()
    return is_first
{{- end -}}
