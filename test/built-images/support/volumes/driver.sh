# driver.sh TYPE: the tests of sanity_test.go against the driver, which runs here as its pods run it.
set -eu
bash /test/ceph.sh >/test/ceph.log 2>&1 || { cat /test/ceph.log; exit 1; }
export TYPE=$1 CONTROLLER_SOCKET=/csi/controller.sock NODE_SOCKET=/csi/node.sock NODE_PROCESS=/csi/node.pid
rbd-provisioner controller -driver ceph.example.org -user kube -socket $CONTROLLER_SOCKET &
while true; do
  rbd-provisioner node -driver ceph.example.org -user kube-node -node node1 -socket $NODE_SOCKET -registry /csi &
  echo $! >$NODE_PROCESS
  wait $! || true
done &
until rbd-provisioner probe -socket $NODE_SOCKET 2>/dev/null && rbd-provisioner probe -socket $CONTROLLER_SOCKET 2>/dev/null; do sleep 0.2; done
/test/sanity -test.v -ginkgo.no-color
# Nothing is left: no volume, no mount, no device.
ceph fs subvolume ls cephfs --group_name kubernetes
rbd ls kube
grep -c ceph-fuse /proc/mounts || true
rbd device list
