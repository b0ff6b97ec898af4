import {join} from 'node:path'
import {CLUSTER, type SandboxPaths} from '../paths.ts'
import {nodeStages} from '../stages/node.ts'
import {podStages} from '../stages/pod.ts'
import {volumeStages} from '../stages/volume.ts'
import type {Tools} from '../tools.ts'
import type {Ports} from './ports.ts'

/** A node that a kubelet answers for, on an address that pods reach. */
interface RealNode {
  readonly address: string
  /** The range of the Services' addresses. */
  readonly services: string
  /** The first of them: where pods find the API server. */
  readonly apiService: string
}

/** Whether kwok plays nodes and pods, or they are real. */
export type Behaviour = 'simulated' | RealNode

interface ConfigurationOptions {
  readonly paths: SandboxPaths
  readonly tools: Tools
  readonly ports: Ports
  readonly behaviour: Behaviour
}

interface Argument {
  readonly key: string
  readonly value: string
}

/** The documents of kwokctl's configuration file: the cluster, and how its nodes, pods and volumes behave. */
export function kwokConfiguration(options: ConfigurationOptions): readonly object[] {
  const {paths, behaviour} = options
  if (behaviour !== 'simulated') {
    const real = {
      disable: ['kwok-controller'],
      kubeApiserverCertSANs: [behaviour.address, behaviour.apiService],
    }
    return [clusterDocument(options, real, realArguments(paths, behaviour))]
  }
  return [
    clusterDocument(options, {}, [{key: 'kubelet-preferred-address-types', value: 'Hostname'}]),
    ...nodeStages,
    ...podStages,
    ...volumeStages,
    {
      apiVersion: 'kwok.x-k8s.io/v1alpha1',
      kind: 'ClusterLogs',
      metadata: {name: 'all'},
      spec: {logs: [{logsFile: paths.containerLog, previousLogsFile: paths.containerLog}]},
    },
  ]
}

/** The API server shows the kubelet a certificate, and tells pods an address that is not the loopback it listens on. */
function realArguments(paths: SandboxPaths, {address, services}: RealNode): readonly Argument[] {
  return [
    {key: 'advertise-address', value: address},
    {key: 'service-cluster-ip-range', value: services},
    {key: 'kubelet-preferred-address-types', value: 'InternalIP'},
    {key: 'kubelet-client-certificate', value: join(paths.cluster, 'pki/admin.crt')},
    {key: 'kubelet-client-key', value: join(paths.cluster, 'pki/admin.key')},
  ]
}

function clusterDocument(
  {paths, tools, ports}: ConfigurationOptions,
  more: object,
  apiServer: readonly Argument[],
): object {
  return {
    apiVersion: 'config.kwok.x-k8s.io/v1alpha1',
    kind: 'KwokctlConfiguration',
    metadata: {name: CLUSTER},
    options: {
      runtime: 'binary',
      bindAddress: '127.0.0.1',
      kubeAuditPolicy: paths.auditPolicy,
      etcdBinary: tools.etcd,
      kubeApiserverBinary: tools['kube-apiserver'],
      kubeControllerManagerBinary: tools['kube-controller-manager'],
      kubeSchedulerBinary: tools['kube-scheduler'],
      kubectlBinary: tools.kubectl,
      kwokControllerBinary: tools.kwok,
      ...ports,
      ...more,
    },
    componentsPatches: [
      // Nothing here must survive a power cut.
      {name: 'etcd', extraArgs: [{key: 'unsafe-no-fsync', value: 'true'}]},
      {
        name: 'kube-apiserver',
        extraArgs: [
          ...apiServer,
          {key: 'audit-log-maxsize', value: '200'},
          {key: 'audit-log-maxbackup', value: '1'},
        ],
      },
    ],
  }
}

/**
 * What the API server notes: all but watches, the renewal of leases, and events. Of a pod's status the whole patch,
 * so that a reader sees when it became Ready; of everything else, Secrets above all, no content.
 */
export const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    {level: 'None', verbs: ['watch']},
    {
      level: 'None',
      resources: [{group: 'coordination.k8s.io', resources: ['leases']}],
      namespaces: ['kube-node-lease', 'kube-system'],
    },
    {
      level: 'None',
      resources: [
        {group: '', resources: ['events']},
        {group: 'events.k8s.io', resources: ['events']},
      ],
    },
    {level: 'None', nonResourceURLs: ['/healthz*', '/livez*', '/readyz*']},
    {level: 'Request', resources: [{group: '', resources: ['pods/status']}]},
    {level: 'Metadata'},
  ],
}
