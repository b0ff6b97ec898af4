import {isNot, type Stage, stage, status} from './stage.ts'

/**
 * The stages of nodes, which become Ready immediately; kwok renews their leases. Based on kwok's
 * kustomize/stage/node/fast.
 */
export const nodeStages: readonly Stage[] = [
  stage({
    name: 'node-initialize',
    kind: 'Node',
    when: [isNot('.status.conditions.[] | select( .type == "Ready" ) | .status', 'True')],
    steps: [
      status(`
conditions:
{{ range NodeConditions }}
- type: {{ .type | Quote }}
  status: {{ .status | Quote }}
  reason: {{ .reason | Quote }}
  message: {{ .message | Quote }}
  lastHeartbeatTime: {{ Now | Quote }}
  lastTransitionTime: {{ Now | Quote }}
{{ end }}
{{ with NodePort }}
daemonEndpoints: {kubeletEndpoint: {Port: {{ . }}}}
{{ end }}
allocatable: &size {cpu: "64", memory: 512Gi, pods: "1000"}
capacity: *size
nodeInfo:
  architecture: amd64
  bootID: ""
  containerRuntimeVersion: kwok-{{ Version }}
  kernelVersion: kwok-{{ Version }}
  kubeProxyVersion: ""
  kubeletVersion: kwok-{{ Version }}
  machineID: ""
  operatingSystem: linux
  osImage: ""
  systemUUID: ""
phase: Running
`),
    ],
  }),
]
