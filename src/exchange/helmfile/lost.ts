import {lostCredentials, withoutCredentials} from '../credentials.ts'
import {says} from '../unread.ts'
import type {Helmfile, HelmfileRelease} from './helmfile.ts'

/** The keys of each that are read. Every other key that says something is listed as lost, also one of a later helmfile. */
const READ = {
  file: new Set(['namespace', 'kubeContext', 'helmDefaults', 'repositories', 'releases', 'renderedvalues']),
  helmDefaults: new Set(['timeout', 'kubeContext']),
  repository: new Set(['name', 'url', 'oci']),
  release: new Set('name namespace chart version installed needs timeout values set setString'.split(' ')),
} as const

/** Keys that `helmfile build` has worked out, and prints all the same. */
const WORKED_OUT = {
  file: /^(?:bases|helmfiles|environments|templates|values|env|filepath|defaultValues)$/,
  release:
    /^(?:chartPath|condition|inherit|valuesPathPrefix|(?:values|set|verify|wait|installed|condition)Template)$/,
}

/** Keys that can be read only where helmfile works them out. */
const UNREAD = new Set(['bases', 'helmfiles', 'environments', 'templates', 'values'])

/** Keys for what kk always does. */
const DONE_ANYWAY = new Set(['wait', 'waitForJobs'])

/** As `helmfile build` prints them where nothing is said. */
const DEFAULTS: Readonly<Record<string, unknown>> = {helmBinary: 'helm', kustomizeBinary: 'kustomize'}

/** The labels that helmfile gives to every release. */
const OWN_LABELS = new Set(['chart', 'name', 'namespace'])

/** The sentence that says what kk has in the place of a key. */
const INSTEAD: Readonly<Record<string, string>> = {
  wait: 'kk waits until each release is ready',
  waitForJobs: 'kk waits until the jobs of each release are done',
  createNamespace: 'kk makes a namespace that is missing',
  atomic: 'kk deploy --on-failure says what becomes of a release that fails',
  cleanupOnFail: 'kk deploy --on-failure says what becomes of a release that fails',
  rollbackOnFailure: 'kk deploy --on-failure says what becomes of a release that fails',
  apiVersions: 'kk asks the cluster which kinds it has',
  kubeContext:
    'an environment is of one cluster: give the releases of each context a file of their own, with kk.context',
  kubeVersion: 'kk asks the cluster for its version',
}

/** Returns false for a map of which helmfile knows no key: it is of something else, such as an environment. */
export function isHelmfile(state: Helmfile): boolean {
  const keys = Object.keys(state)
  return keys.length === 0 || keys.some((key) => READ.file.has(key) || WORKED_OUT.file.test(key))
}

/** Returns the keys of a release that an environment has no place for, each with what that means. */
export function lostOfRelease(release: HelmfileRelease, isBuilt: boolean): readonly string[] {
  return Object.entries(release)
    .filter(([key]) => !(isBuilt && WORKED_OUT.release.test(key)))
    .filter(([key, value]) => isLost(READ.release, key, value))
    .map(([key]) => `${key} of ${release.name}: ${meaning(key)}`)
}

/** Returns what of a helmfile itself is lost, each as a sentence. */
export function lostOfFile(state: Helmfile, isBuilt: boolean): readonly string[] {
  const context = state.kubeContext || state.helmDefaults?.kubeContext
  const repositories = state.repositories ?? []
  return [
    ...(!context
      ? []
      : [`the context ${context}: write kk.context: ${context} if the environment belongs to it alone`]),
    ...Object.entries(state)
      .filter(([key]) => !(isBuilt && WORKED_OUT.file.test(key)))
      .filter(([key, value]) => UNREAD.has(key) || isLost(READ.file, key, value))
      .map(([key]) => `${key}: ${UNREAD.has(key) ? READ_WITH_HELMFILE : meaning(key)}`),
    ...lostAmong(READ.helmDefaults, defaultsStated(state, isBuilt), 'helmDefaults'),
    ...repositories.flatMap((each) => lostAmong(READ.repository, each, `the repository ${each.name}`)),
    ...repositories
      .filter(({url}) => withoutCredentials(url ?? '') !== (url ?? ''))
      .map(({name}) => lostCredentials(`the repository ${name}`)),
  ]
}

/** helmfile prints a switch of its defaults, whether it was stated or not. */
function defaultsStated({helmDefaults = {}}: Helmfile, isBuilt: boolean): object {
  return Object.fromEntries(
    Object.entries(helmDefaults).filter(([key, value]) => !(isBuilt && !value && DONE_ANYWAY.has(key))),
  )
}

const READ_WITH_HELMFILE = 'read it with helmfile on the PATH, or move what it says by hand'

function lostAmong(read: ReadonlySet<string>, map: object, of: string): readonly string[] {
  return Object.entries(map)
    .filter(([key, value]) => isLost(read, key, value))
    .map(([key]) => `${key} of ${of}: ${meaning(key)}`)
}

/** Returns true for a key that is not read, and says something. */
function isLost(read: ReadonlySet<string>, key: string, value: unknown): boolean {
  if (read.has(key)) return false
  // The only one that is on where nothing is said.
  if (key === 'createNamespace') return value === false
  if (DONE_ANYWAY.has(key)) return value === false
  if (value === DEFAULTS[key]) return false
  if (key === 'labels') return Object.keys(value as object).some((label) => !OWN_LABELS.has(label))
  return says(value)
}

function meaning(key: string): string {
  return INSTEAD[key] ?? 'an environment has no place for it'
}
