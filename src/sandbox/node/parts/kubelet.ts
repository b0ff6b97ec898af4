import {join} from 'node:path'
import {OPENSTACK_LABELS} from '../../control-plane/objects.ts'
import {KUBELET} from '../host/namespace.ts'
import type {LocalNode} from '../local-node.ts'
import {GATEWAY, KUBELET_PORT} from '../network.ts'
import type {Part} from './part.ts'

/**
 * Returns the kubelet, in the namespaces of containerd; it accepts only requests with the API server's
 * certificate.
 */
export function kubelet(node: LocalNode, binary: string): Part {
  const {name, address, paths, kubeconfig} = node
  const config = join(paths.etc, 'kubelet.json')
  const labels = Object.entries(OPENSTACK_LABELS).map(([key, value]) => `${key}=${value}`)
  const argv = [
    ...[binary, '--config', config, '--kubeconfig', kubeconfig],
    ...['--root-dir', KUBELET, '--cert-dir', join(KUBELET, 'pki')],
    ...['--hostname-override', name, '--node-ip', address, '--node-labels', labels.join(',')],
  ]
  return {
    argv: node.program(argv),
    files: {[config]: JSON.stringify(configuration(node), undefined, 2)},
  }
}

function configuration({address, paths, cgroup, resolver}: LocalNode): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address,
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
    cgroupRoot: cgroup,
    failCgroupV1: false,
    enforceNodeAllocatable: [],
    failSwapOn: false,
    clusterDNS: [GATEWAY],
    clusterDomain: 'cluster.local',
    ...(resolver && {resolvConf: resolver}),
    serializeImagePulls: false,
    // Other programs use the disk, too, so a full disk is not caused by pods.
    evictionHard: {'memory.available': '100Mi', 'nodefs.available': '1Gi', 'imagefs.available': '1Gi'},
    imageGCHighThresholdPercent: 100,
    // A throwaway node stops without waiting for its pods.
    shutdownGracePeriod: '0s',
  }
}
