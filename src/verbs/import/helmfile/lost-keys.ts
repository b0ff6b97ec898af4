import type {Helmfile, HelmfileRelease} from './helmfile.ts'

/** Keys of a release that say nothing an environment lacks. */
const HARMLESS = new Set([
  'apiVersions',
  'atomic',
  'cleanupOnFail',
  'createNamespace',
  'description',
  'disableAutoDetectedKubeVersionForDiff',
  'disableOpenAPIValidation',
  'disableValidation',
  'disableValidationOnInstall',
  'force',
  'historyMax',
  'kubeVersion',
  'labels',
  'missingFileHandler',
  'missingFileHandlerConfig',
  'rollbackOnFailure',
  'skipDeps',
  'skipRefresh',
  'suppressDiff',
  'verify',
  'wait',
  'waitForJobs',
  'waitRetries',
])

/** Keys that are understood. */
const KNOWN = new Set([
  'name',
  'namespace',
  'chart',
  'version',
  'installed',
  'needs',
  'timeout',
  'values',
  'set',
  'setString',
])

/** What `helmfile build` has worked out, and prints all the same. */
const WORKED_OUT =
  /^(?:chartPath|condition|inherit|valuesPathPrefix|(?:values|set|verify|wait|installed|condition)Template)$/

/** Keys of a release that an environment has no place for: hooks, patches, secrets of sops, transformers. */
export function lostKeys(release: HelmfileRelease, isBuilt: boolean): readonly string[] {
  return Object.keys(release).filter(
    (key) => !KNOWN.has(key) && !HARMLESS.has(key) && !(isBuilt && WORKED_OUT.test(key)),
  )
}

/** What of a helmfile itself is lost. */
export function lostOfFile(state: Helmfile, isBuilt: boolean): readonly string[] {
  const context = state.kubeContext ?? state.helmDefaults?.kubeContext
  const unread = isBuilt ? [] : ['bases', 'helmfiles', 'environments', 'templates', 'values']
  return [
    ...(context === undefined
      ? []
      : [`the context ${context}: write kk.context: ${context} if the environment belongs to it alone`]),
    ...(state.hooks === undefined ? [] : ['hooks: an environment has no place for them']),
    ...unread
      .filter((key) => state[key] !== undefined)
      .map((key) => `${key}: read it with helmfile on the PATH, or move what it says by hand`),
  ]
}
