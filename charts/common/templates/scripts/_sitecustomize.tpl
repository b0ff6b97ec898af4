{{- /*
What Python imports at its start in images whose library of OVN's databases has no resolver (python3-unbound): it would accept
nothing but addresses, and those of members change.
*/ -}}
{{- define "common.scripts.sitecustomize.py" -}}
"""Lets the library of Open vSwitch connect to names: each connection resolves its name again."""
import socket

try:
    from ovs import stream
except ImportError:
    stream = None


def by_address(connect):
    def connect_to_name(suffix, dscp):
        host, _, port = suffix.rpartition(":")
        try:
            address = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)[0][4][0]
        except (OSError, ValueError):
            # The library reports what is wrong with it.
            return connect(suffix, dscp)
        return connect(("[%s]:%s" if ":" in address else "%s:%s") % (address, port), dscp)

    return staticmethod(connect_to_name)


for kind in [stream.TCPStream, stream.SSLStream] if stream else []:
    kind._open = by_address(kind._open)
{{ end -}}
