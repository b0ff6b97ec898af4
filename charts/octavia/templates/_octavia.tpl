{{- /* Where neutron is: OVN's provider heeds no `valid_interfaces`, and would ask for its public address. */ -}}
{{- define "common.config.block.networks" -}}
options:
  neutron:
    endpoint_override: {{ include "common.endpoints.uri" (dict "ctx" .ctx "type" "network") | quote }}
{{- end -}}

{{- /* octavia-status, which reads an option of policies that it has not told of, and so ends with an error. */ -}}
{{- define "common.scripts.octavia-status.py" -}}
"""Octavia's own checks, with the options of policies."""
import sys

from octavia.cmd import status
from oslo_config import cfg
from oslo_policy import opts

opts.set_defaults(cfg.CONF)
sys.exit(status.main())
{{ end -}}

{{- /* Who balances, by octavia's own word. */ -}}
{{- define "common.scripts.octavia-test.py" -}}
"""Asks octavia for its providers: that takes a token and OVN's driver."""
import openstack

names = [each.name for each in openstack.connect().load_balancer.providers()]
assert "ovn" in names, names
print("providers: %s" % ", ".join(names))
{{ end -}}
