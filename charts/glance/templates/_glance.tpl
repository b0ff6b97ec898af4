{{- /* Stores an image, sees it become active and takes it away again. */ -}}
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
