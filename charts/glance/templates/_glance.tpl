{{- /*
The store of images: Ceph's pool `images`, or files. With Ceph, other services get the location of an image,
to clone it.
*/ -}}
{{- define "common.config.block.store" -}}
{{- $backend := ternary "rbd" "file" (eq .ctx.values.storage.backend "ceph") -}}
options:
  DEFAULT:
    enabled_backends: {{ $backend }}:{{ $backend }}
    {{- if eq $backend "rbd" }}
    show_image_direct_url: true
    # Nova adds Ceph's snapshot of a disk as the location of an image.
    show_multiple_locations: true
    {{- end }}
  glance_store: {default_backend: {{ $backend }}}
  {{- if eq $backend "rbd" }}
  rbd: {rbd_store_pool: images, rbd_store_user: glance, rbd_store_ceph_conf: /etc/ceph/ceph.conf, rbd_store_chunk_size: 8}
  {{- else }}
  file: {filesystem_store_datadir: /var/lib/glance/images/}
  {{- end }}
{{- end -}}

{{- /* Stores an image, waits until it is active, and deletes it. */ -}}
{{- define "common.scripts.glance-test.sh" -}}
set -eu
truncate --size=1M /tmp/image
id=$(openstack image create --disk-format raw --container-format bare --file /tmp/image --format value --column id kk-test)
trap 'openstack image delete "$id"' EXIT
for _ in 1 2 3 4 5 6 7 8 9 10; do
  [ "$(openstack image show --format value --column status "$id")" = active ] && exit 0
  sleep 3
done
exit 1
{{ end -}}
