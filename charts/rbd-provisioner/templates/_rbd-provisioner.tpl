{{- /* Writes to a volume that was claimed for this pod, and checks its size. */ -}}
{{- define "common.scripts.rbd-provisioner-test.sh" -}}
set -eu
head --bytes=8M /dev/urandom >/tmp/written
cp /tmp/written /data/written
sync /data/written
cmp /tmp/written /data/written
size=$(df --block-size=1M --output=size /data | tail -1)
echo "a volume of $size MiB: $(findmnt --noheadings --output SOURCE,FSTYPE --target /data)"
[ "$size" -le 64 ]
{{ end -}}
