{{- /* The URL of neutron: OVN's provider ignores `valid_interfaces`, and would use the public address. */ -}}
{{- define "common.config.block.networks" -}}
options:
  neutron:
    endpoint_override: {{ include "common.endpoints.uri" (dict "ctx" .ctx "type" "network") | quote }}
{{- end -}}

{{- /*
octavia-status, with the options of oslo.policy: it reads one that it does not register, and would fail.
*/ -}}
{{- define "common.scripts.octavia-status.py" -}}
"""Octavia's own checks, with the options of policies."""
import sys

from octavia.cmd import status
from oslo_config import cfg
from oslo_policy import opts

opts.set_defaults(cfg.CONF)
sys.exit(status.main())
{{ end -}}

{{- /* The providers of load balancers, as octavia reports them. */ -}}
{{- define "common.scripts.octavia-test.py" -}}
"""Asks octavia for its providers: that takes a token and OVN's driver."""
import openstack

names = [each.name for each in openstack.connect().load_balancer.providers()]
assert "ovn" in names, names
print("providers: %s" % ", ".join(names))
{{ end -}}
