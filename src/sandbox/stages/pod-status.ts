interface ContainerState {
  /** One YAML entry of a container's state; a Go template in which the container is the dot. */
  readonly state: string
  readonly lastState?: string
  readonly restarts?: number
}

interface PodStatusOptions {
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed'
  readonly ready: boolean
  readonly container: ContainerState
  /** `firstState` is for the first init container, where it differs; then the pod is not initialized. */
  readonly init: {readonly state: string; readonly firstState?: string}
}

/** The status of a pod whose containers are all alike, as a kwok template. */
export function podStatus({phase, ready, container, init}: PodStatusOptions): string {
  const initialized = init.firstState === undefined
  return `
conditions:
${condition('Initialized', initialized)}
${condition('Ready', ready)}
${condition('ContainersReady', ready)}
{{ range .spec.readinessGates }}
- {type: {{ .conditionType | Quote }}, status: "${ready ? 'True' : 'False'}", lastTransitionTime: {{ Now | Quote }}}
{{ end }}
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  ready: ${ready}
  started: ${container.state.startsWith('running')}
  restartCount: ${container.restarts ?? 0}
  state: {${container.state}}
  ${container.lastState ? `lastState: {${container.lastState}}` : ''}
{{ end }}
initContainerStatuses:
{{ range $index, $item := .spec.initContainers }}
{{ with $item }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  restartCount: 0
  {{ if eq .restartPolicy "Always" }}
  ready: true
  started: true
  state: {running: {startedAt: {{ Now | Quote }}}}
  {{ else }}
  ready: ${initialized}
  ${initialized ? `state: {${init.state}}` : `{{ if $index }}state: {${init.state}}{{ else }}state: {${init.firstState}}{{ end }}`}
  {{ end }}
{{ end }}
{{ end }}
${ADDRESSES}
phase: ${phase}
startTime: {{ or .status.startTime Now | Quote }}
`
}

function condition(type: string, status: boolean): string {
  return `- {type: ${type}, status: "${status ? 'True' : 'False'}", lastTransitionTime: {{ Now | Quote }}}`
}

/** As in kwok's own pod-ready stage (kustomize/stage/pod/fast/pod-ready.yaml). */
const ADDRESSES = `
{{ if not .status.podIP }}
{{ with NodeIPsWith .spec.nodeName }}
hostIP: {{ index . 0 | Quote }}
hostIPs:
{{ range . }}
- ip: {{ . | Quote }}
{{ end }}
{{ end }}
{{ with PodIPsWith .spec.nodeName ( or .spec.hostNetwork false ) ( or .metadata.uid "" ) ( or .metadata.name "" ) ( or .metadata.namespace "" ) }}
podIP: {{ index . 0 | Quote }}
podIPs:
{{ range . }}
- ip: {{ . | Quote }}
{{ end }}
{{ end }}
{{ end }}`
