import {join} from 'node:path'
import {OPENSTACK_LABELS} from '../../control-plane/objects.ts'
import {NODE_NAME} from '../../sandbox.ts'
import {CGROUP} from '../host/cgroups.ts'
import {inProcessNamespace, KUBELET} from '../host/namespace.ts'
import {GATEWAY, KUBELET_PORT} from '../network.ts'
import type {NodePaths} from '../paths.ts'
import type {Part} from './part.ts'

/**
 * Returns the kubelet, in containerd's mount namespace; it accepts only requests with the API server's
 * certificate.
 */
export function kubelet(paths: NodePaths, binary: string, containerdPid: number): Part {
  const config = join(paths.etc, 'kubelet.json')
  const labels = Object.entries(OPENSTACK_LABELS).map(([key, value]) => `${key}=${value}`)
  const argv = [
    ...[binary, '--config', config, '--kubeconfig', paths.kubeconfig],
    ...['--root-dir', KUBELET, '--cert-dir', join(KUBELET, 'pki')],
    ...['--hostname-override', NODE_NAME, '--node-ip', GATEWAY, '--node-labels', labels.join(',')],
  ]
  return {
    argv: inProcessNamespace(containerdPid, argv),
    files: {[config]: JSON.stringify(configuration(paths), undefined, 2)},
  }
}

function configuration(paths: NodePaths): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: GATEWAY,
    port: KUBELET_PORT,
    healthzPort: 0,
    authentication: {
      anonymous: {enabled: false},
      webhook: {enabled: false},
      x509: {clientCAFile: join(paths.cluster, 'pki/ca.crt')},
    },
    authorization: {mode: 'AlwaysAllow'},
    containerRuntimeEndpoint: `unix://${paths.containerdSocket}`,
    podLogsDir: join(paths.directory, 'pod-logs'),
    volumePluginDir: join(paths.directory, 'volume-plugins'),
    staticPodPath: '',
    cgroupDriver: 'cgroupfs',
    cgroupRoot: CGROUP,
    failCgroupV1: false,
    enforceNodeAllocatable: [],
    failSwapOn: false,
    clusterDNS: [GATEWAY],
    clusterDomain: 'cluster.local',
    serializeImagePulls: false,
    // Other programs use the disk, too, so a full disk is not caused by pods.
    evictionHard: {'memory.available': '100Mi', 'nodefs.available': '1Gi', 'imagefs.available': '1Gi'},
    imageGCHighThresholdPercent: 100,
    // A throwaway node stops without waiting for its pods.
    shutdownGracePeriod: '0s',
  }
}
