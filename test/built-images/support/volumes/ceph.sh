# A Ceph of one daemon of each kind, for whoever shares this network namespace, with a file system, a pool for images, and the accounts
# of /test/clients.keyring.
set -eu
umask 022
run=/var/lib/ceph
mkdir -p /etc/ceph /run/ceph $run/mon $run/osd $run/mgr/ceph-a $run/mds/ceph-a
cat >/etc/ceph/ceph.conf <<CONF
[global]
fsid = $(cat /proc/sys/kernel/random/uuid)
mon_host = 127.0.0.1
mon_initial_members = a
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 8
osd_crush_chooseleaf_type = 0
osd_class_dir = /usr/lib/rados-classes
mon_allow_pool_size_one = true
auth_allow_insecure_global_id_reclaim = false
mgr_initial_modules = iostat
mgr_disabled_modules = alerts,cephadm,dashboard,influx,insights,k8sevents,localpool,mds_autoscaler,mirroring,nfs,osd_perf_query,osd_support,restful,rgw,rook,selftest,snap_schedule,stats,telegraf,test_orchestrator,zabbix
log_to_file = false
CONF
all='allow *'
keyring=/etc/ceph/ceph.client.admin.keyring
ceph-authtool --create-keyring $keyring --gen-key --name client.admin --cap mon "$all" --cap osd "$all" --cap mds "$all" --cap mgr "$all"
ceph-authtool --create-keyring $run/keyring --gen-key --name mon. --cap mon "$all" --import-keyring $keyring
ceph-mon --mkfs --id a --mon-data $run/mon/a --keyring $run/keyring --public-addr 127.0.0.1
ceph-mon --foreground --id a --mon-data $run/mon/a --public-addr 127.0.0.1 >/test/mon.log 2>&1 &
ceph auth get-or-create mgr.a mon 'allow profile mgr' osd "$all" mds "$all" --out-file $run/mgr/ceph-a/keyring
ceph-mgr --foreground --id a --mgr-data $run/mgr/ceph-a >/test/mgr.log 2>&1 &
ceph auth get-or-create mds.a mon 'allow profile mds' osd 'allow rwx' mds allow --out-file $run/mds/ceph-a/keyring
ceph-mds --foreground --id a --mds-data $run/mds/ceph-a >/test/mds.log 2>&1 &

uuid=$(cat /proc/sys/kernel/random/uuid)
key=$(ceph-authtool --gen-print-key)
id=$(printf '{"cephx_secret": "%s"}' "$key" | ceph osd new "$uuid" --in-file -)
data=$run/osd/ceph-$id
mkdir -p "$data"
truncate --size 4G "$data/block"
printf '[osd.%s]\nkey = %s\n' "$id" "$key" >"$data/keyring"
ceph-osd --mkfs --id "$id" --osd-uuid "$uuid" --osd-data "$data" --osd-objectstore bluestore >/test/osd.log 2>&1
ceph-osd --foreground --id "$id" --osd-data "$data" >>/test/osd.log 2>&1 &

for pool in kube cephfs_metadata cephfs_data; do ceph osd pool create $pool; done
rbd pool init kube
ceph fs new cephfs cephfs_metadata cephfs_data
ceph auth import --in-file /test/clients.keyring
for user in kube kube-node; do ceph auth export client.$user --out-file /etc/ceph/ceph.client.$user.keyring; done
