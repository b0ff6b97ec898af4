{{- /*
Volumes in Ceph's pool `volumes`, backups in `backups`; configure another backend with `conf.cinder` alone.
*/ -}}
{{- define "common.config.block.volumes" -}}
options:
  DEFAULT:
    glance_api_servers: {{ include "common.endpoints.uri" (dict "ctx" .ctx "type" "image") | quote }}
    {{- if eq .ctx.values.storage.backend "ceph" }}
    enabled_backends: rbd
    default_volume_type: rbd
    backup_driver: cinder.backup.drivers.ceph.CephBackupDriver
    backup_ceph_conf: /etc/ceph/ceph.conf
    backup_ceph_user: cinder-backup
    backup_ceph_pool: backups
    # Images in the same cluster are cloned, not copied.
    allowed_direct_url_schemes: rbd
  rbd:
    volume_driver: cinder.volume.drivers.rbd.RBDDriver
    volume_backend_name: rbd
    rbd_ceph_conf: /etc/ceph/ceph.conf
    rbd_pool: volumes
    rbd_user: cinder
    # The UUID of the key in libvirt, the same in each cloud.
    rbd_secret_uuid: 457eb676-33da-42ec-9a8c-9293d545c337
    rbd_exclusive_cinder_pool: true
    report_discard_supported: true
    rados_connect_timeout: 10
    {{- end }}
{{- end -}}

{{- define "common.scripts.cinder-types.py" -}}
"""Creates the volume types in VOLUME_TYPES, and sets their extra specs; other types stay."""
import json
import os

import openstack

volumes = openstack.connect().block_storage
there = {each.name: each for each in volumes.types()}
for name, specs in json.loads(os.environ["VOLUME_TYPES"]).items():
    found = there.get(name) or volumes.create_type(name=name)
    # Cinder refuses any change of a type that has volumes, even to the same value.
    news = {key: value for key, value in specs.items() if (found.extra_specs or {}).get(key) != value}
    if news:
        volumes.update_type_extra_specs(found, **news)
    print("volume type %s" % name)
{{ end -}}

{{- /* Creates a volume and deletes it. */ -}}
{{- define "common.scripts.cinder-test.sh" -}}
set -eu
id=$(openstack volume create --size 1 --format value --column id kk-test)
trap 'openstack volume delete "$id"' EXIT
for _ in 1 2 3 4 5 6 7 8 9 10; do
  [ "$(openstack volume show --format value --column status "$id")" = available ] && exit 0
  sleep 3
done
exit 1
{{ end -}}
