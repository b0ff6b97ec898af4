import {lostCredentials, withoutCredentials} from '../credentials.ts'
import {hasContent} from '../unread.ts'
import type {Helmfile, HelmfileRelease} from './helmfile.ts'

/**
 * The keys of each map that are read. Every other key with a value is listed as lost, including those of
 * later helmfiles.
 */
const READ = {
  file: new Set(['namespace', 'kubeContext', 'helmDefaults', 'repositories', 'releases', 'renderedvalues']),
  helmDefaults: new Set(['timeout', 'kubeContext']),
  repository: new Set(['name', 'url', 'oci']),
  release: new Set('name namespace chart version installed needs timeout values set setString'.split(' ')),
} as const

/** Keys that `helmfile build` has evaluated and still prints. */
const EVALUATED = {
  file: /^(?:bases|helmfiles|environments|templates|values|env|filepath|defaultValues)$/,
  release:
    /^(?:chartPath|condition|inherit|valuesPathPrefix|(?:values|set|verify|wait|installed|condition)Template)$/,
}

/** Keys that can be read only with helmfile. */
const UNREAD = new Set(['bases', 'helmfiles', 'environments', 'templates', 'values'])

/** Keys for what kk always does. */
const DONE_ANYWAY = new Set(['wait', 'waitForJobs'])

/** The defaults that `helmfile build` prints for unset keys. */
const DEFAULTS: Readonly<Record<string, unknown>> = {helmBinary: 'helm', kustomizeBinary: 'kustomize'}

/** The labels that helmfile sets on every release. */
const OWN_LABELS = new Set(['chart', 'name', 'namespace'])

/** What kk does instead of each key. */
const INSTEAD: Readonly<Record<string, string>> = {
  wait: 'kk waits until each release is ready',
  waitForJobs: 'kk waits until the jobs of each release are done',
  createNamespace: 'kk creates missing namespaces',
  atomic: 'kk deploy --on-failure sets how a failed release is handled',
  cleanupOnFail: 'kk deploy --on-failure sets how a failed release is handled',
  rollbackOnFailure: 'kk deploy --on-failure sets how a failed release is handled',
  apiVersions: 'kk discovers the API versions of the cluster',
  kubeContext:
    'an environment belongs to one cluster: write a separate environment file per context, with kk.context',
  kubeVersion: 'kk discovers the version of the cluster',
}

/** Returns false for a map without any key of helmfile: it is another file, such as an environment. */
export function isHelmfile(state: Helmfile): boolean {
  const keys = Object.keys(state)
  return keys.length === 0 || keys.some((key) => READ.file.has(key) || EVALUATED.file.test(key))
}

/** Returns the keys of a release that an environment cannot express, each with what kk does instead. */
export function releaseLosses(release: HelmfileRelease, isBuilt: boolean): readonly string[] {
  return Object.entries(release)
    .filter(([key]) => !(isBuilt && EVALUATED.release.test(key)))
    .filter(([key, value]) => isLost(READ.release, key, value))
    .map(([key]) => `${key} of ${release.name}: ${replacement(key)}`)
}

/** Returns the losses of the helmfile itself, each as a sentence. */
export function fileLosses(state: Helmfile, isBuilt: boolean): readonly string[] {
  const context = state.kubeContext || state.helmDefaults?.kubeContext
  const repositories = state.repositories ?? []
  return [
    ...(!context
      ? []
      : [
          `the context ${context}: write kk.context: ${context} if the environment belongs to this context only`,
        ]),
    ...Object.entries(state)
      .filter(([key]) => !(isBuilt && EVALUATED.file.test(key)))
      .filter(([key, value]) => UNREAD.has(key) || isLost(READ.file, key, value))
      .map(([key]) => `${key}: ${UNREAD.has(key) ? READ_WITH_HELMFILE : replacement(key)}`),
    ...mapLosses(READ.helmDefaults, explicitDefaults(state, isBuilt), 'helmDefaults'),
    ...repositories.flatMap((each) => mapLosses(READ.repository, each, `the repository ${each.name}`)),
    ...repositories
      .filter(({url}) => withoutCredentials(url ?? '') !== (url ?? ''))
      .map(({name}) => lostCredentials(`the repository ${name}`)),
  ]
}

/** helmfile prints its boolean defaults whether or not they were set. */
function explicitDefaults({helmDefaults = {}}: Helmfile, isBuilt: boolean): object {
  return Object.fromEntries(
    Object.entries(helmDefaults).filter(([key, value]) => !(isBuilt && !value && DONE_ANYWAY.has(key))),
  )
}

const READ_WITH_HELMFILE = 'import it with helmfile on the PATH, or move its content by hand'

function mapLosses(read: ReadonlySet<string>, map: object, of: string): readonly string[] {
  return Object.entries(map)
    .filter(([key, value]) => isLost(read, key, value))
    .map(([key]) => `${key} of ${of}: ${replacement(key)}`)
}

/** Returns true for a key that is not read and has a value. */
function isLost(read: ReadonlySet<string>, key: string, value: unknown): boolean {
  if (read.has(key)) return false
  // The only key that defaults to true.
  if (key === 'createNamespace') return value === false
  if (DONE_ANYWAY.has(key)) return value === false
  if (value === DEFAULTS[key]) return false
  if (key === 'labels') return Object.keys(value as object).some((label) => !OWN_LABELS.has(label))
  return hasContent(value)
}

function replacement(key: string): string {
  return INSTEAD[key] ?? 'an environment cannot express it'
}
