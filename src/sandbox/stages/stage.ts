/**
 * A kwok Stage: sets the status of matching objects after a delay
 * (kwok.sigs.k8s.io/docs/user/stages-configuration).
 */
export interface Stage {
  readonly apiVersion: 'kwok.x-k8s.io/v1alpha1'
  readonly kind: 'Stage'
  readonly metadata: {readonly name: string}
  readonly spec: object
}

interface StageOptions {
  readonly name: string
  readonly kind: 'Node' | 'Pod' | 'PersistentVolume' | 'PersistentVolumeClaim'
  readonly when: readonly Condition[]
  /** The jq path of a duration in Go's format, such as `5s`; no delay if the path does not exist. */
  readonly delay?: string
  readonly steps: readonly object[]
}

export type Condition = {readonly jq: {key: string; operator: string; values?: readonly string[]}}

export function stage({name, kind, when, delay, steps}: StageOptions): Stage {
  const durationFrom = delay && {jq: {expression: delay}}
  return {
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: {name},
    spec: {
      resourceRef: {apiGroup: 'v1', kind},
      selector: {matchExpressions: when},
      ...(durationFrom && {delay: {durationMilliseconds: 0, durationFrom}}),
      steps,
    },
  }
}

/** Returns a status patch from a Go template of YAML with kwok's functions. */
export function status(template: string): object {
  return {patch: {subresource: 'status', root: 'status', template}}
}

/** Returns the jq path of an annotation. */
export function annotation(name: string): string {
  return `.metadata.annotations["${name}"]`
}

export function is(key: string, ...values: readonly string[]): Condition {
  return {jq: {key, operator: 'In', values}}
}

export function isNot(key: string, ...values: readonly string[]): Condition {
  return {jq: {key, operator: 'NotIn', values}}
}

export function exists(key: string): Condition {
  return {jq: {key, operator: 'Exists'}}
}

export function isAbsent(key: string): Condition {
  return {jq: {key, operator: 'DoesNotExist'}}
}
