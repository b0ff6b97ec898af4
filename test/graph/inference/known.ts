import type {KnownRelease, Provided, Target, Want, WantKind} from '../../../src/graph/inference/facts.ts'
import {type Inference, type InferenceInputs, infer} from '../../../src/graph/inference/infer.ts'
import {releaseName} from '../../../src/release.ts'
import {id} from '../graph-of.ts'

interface Parts {
  readonly wants?: readonly Want[]
  readonly provided?: Partial<Provided>
  readonly shared?: boolean
}

/** A release in `openstack`, unless its name says another namespace. */
export function known(name: string, {wants = [], provided = {}, shared = false}: Parts = {}): KnownRelease {
  const nothing = {objects: [], pods: [], kinds: [], guarded: [], madeByJobs: []}
  return {release: id(name), facts: {wants, provided: {...nothing, ...provided}}, shared}
}

/** An object that waits for, or uses, something. */
export function want(target: Target, kind: WantKind = 'ready', waiter: Want['waiter'] = 'workload'): Want {
  return {kind, target, waiter, object: 'Deployment/api', file: 'x/templates/api.yaml', text: 'waits'}
}

/** `Service/mariadb` or `infra/Secret/tls`, as a target and as what provides it. */
export function object(text: string): Extract<Target, {what: 'object'}> {
  const parts = text.split('/')
  const [kind = '', name = ''] = parts.slice(-2)
  return {what: 'object', kind, name, ...(parts.length === 3 && {namespace: parts[0]!})}
}

export function provides(...texts: readonly string[]): Partial<Provided> {
  return {objects: texts.map((text) => ({...object(text), file: 'x', ports: [1]}))}
}

interface Options {
  readonly chartIndex?: readonly KnownRelease[]
  readonly named?: readonly string[]
  readonly stated?: readonly string[]
  readonly without?: readonly string[]
}

/** Infers for all of these releases. */
export function inferenceOf(releases: readonly KnownRelease[], options: Options = {}): Inference {
  const {chartIndex = [], named = [], stated = [], without = []} = options
  const inputs: InferenceInputs = {
    releases,
    inferring: new Set(releases.map(({release}) => release)),
    chartIndex,
    named: new Set(named.map(id)),
    stated: () => ({stated: new Set(stated.map(id)), without: new Set(without.map(id))}),
  }
  return infer(inputs)
}

/** `api -> mariadb ready`, one line for each requirement. */
export function lines({requirements}: Inference): readonly string[] {
  return requirements.map(({from, to, kind}) => `${releaseName(from)} -> ${releaseName(to)} ${kind}`)
}
