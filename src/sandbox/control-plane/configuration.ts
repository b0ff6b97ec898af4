import {CLUSTER, type SandboxPaths} from '../paths.ts'
import {nodeStages} from '../stages/node.ts'
import {podStages} from '../stages/pod.ts'
import {volumeStages} from '../stages/volume.ts'
import type {Tools} from '../tools.ts'
import type {Ports} from './ports.ts'

interface ConfigurationOptions {
  readonly paths: SandboxPaths
  readonly tools: Tools
  readonly ports: Ports
}

/** The documents of kwokctl's configuration file: the cluster, and how its nodes, pods and volumes behave. */
export function kwokConfiguration({paths, tools, ports}: ConfigurationOptions): readonly object[] {
  return [
    {
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
      },
      componentsPatches: [
        // Nothing here must survive a power cut.
        {name: 'etcd', extraArgs: [{key: 'unsafe-no-fsync', value: 'true'}]},
        {
          name: 'kube-apiserver',
          extraArgs: [
            {key: 'kubelet-preferred-address-types', value: 'Hostname'},
            {key: 'audit-log-maxsize', value: '200'},
            {key: 'audit-log-maxbackup', value: '1'},
          ],
        },
      ],
    },
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
