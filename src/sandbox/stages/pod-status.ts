interface ContainerState {
  /** One YAML entry of a container's state; a Go template with the container as dot. */
  readonly state: string
  readonly lastState?: string
  readonly restarts?: number
  readonly ready: boolean
}

interface PodStatusOptions {
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed'
  readonly container: ContainerState
  /** The state of containers whose image does not match `unlike`; otherwise all have the same state. */
  readonly unmatched?: {readonly unlike: string; readonly container: ContainerState}
  /**
   * `blocked` is the state of the first init container that does not finish, or of the first whose image
   * matches `image`; the pod is then not initialized.
   */
  readonly init: {
    readonly state: string
    readonly blocked?: {readonly state: string; readonly image?: string}
  }
}

/**
 * Returns the status of a pod as a kwok template; a failure set by annotation applies to all its containers.
 */
export function podStatus({phase, container, unmatched, init}: PodStatusOptions, annotated: string): string {
  const ready = container.ready
  const {blocked} = init
  return `
{{ $annotated := hasKey (default (dict) .metadata.annotations) ${JSON.stringify(annotated)} }}
conditions:
${condition('Initialized', !blocked)}
${condition('Ready', ready)}
${condition('ContainersReady', ready)}
{{ range .spec.readinessGates }}
- {type: {{ .conditionType | Quote }}, status: "${ready ? 'True' : 'False'}", lastTransitionTime: {{ Now | Quote }}}
{{ end }}
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  ${unmatched ? `{{ if ${matches(unmatched.unlike)} }}${containerState(container)}{{ else }}${containerState(unmatched.container)}{{ end }}` : containerState(container)}
{{ end }}
initContainerStatuses:
{{ $blocked := false }}
{{ range .spec.initContainers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  restartCount: 0
  {{ if eq .restartPolicy "Always" }}
  ready: true
  started: true
  state: {running: {startedAt: {{ Now | Quote }}}}
  ${
    blocked
      ? `{{ else if $blocked }}
  ready: false
  state: {${INITIALIZING}}
  {{ else if ${blocked.image === undefined ? 'true' : matches(blocked.image)} }}
  {{ $blocked = true }}
  ready: false
  state: {${blocked.state}}`
      : ''
  }
  {{ else }}
  ready: true
  state: {${init.state}}
  {{ end }}
{{ end }}
${ADDRESSES}
phase: ${phase}
startTime: {{ or .status.startTime Now | Quote }}
`
}

export const INITIALIZING = 'waiting: {reason: PodInitializing}'

function matches(image: string): string {
  return `or $annotated (regexMatch ${JSON.stringify(image)} .image)`
}

function containerState({ready, state, lastState, restarts = 0}: ContainerState): string {
  return `
  ready: ${ready}
  started: ${state.startsWith('running')}
  restartCount: ${restarts}
  state: {${state}}
  ${lastState ? `lastState: {${lastState}}` : ''}
`
}

function condition(type: string, status: boolean): string {
  return `- {type: ${type}, status: "${status ? 'True' : 'False'}", lastTransitionTime: {{ Now | Quote }}}`
}

/** The addresses of a pod, as in kwok's own pod-ready stage (kustomize/stage/pod/fast/pod-ready.yaml). */
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
