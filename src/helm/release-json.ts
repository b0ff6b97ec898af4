import {KkError} from '../errors.ts'
import type {ChangedRelease, ReleaseCall} from './helm.ts'

interface ReleaseJson {
  readonly version: number
  readonly info: {readonly status: string}
  readonly manifest?: string
  readonly hooks?: readonly {readonly manifest: string; readonly events?: readonly string[]}[]
}

/** What is kept of helm's answer is small: it holds the whole chart. */
export function changedRelease(stdout: string, call: ReleaseCall): ChangedRelease {
  return readRelease(stdout, call, (release) => ({
    revision: release.version,
    status: release.info.status,
    manifest: release.manifest ?? '',
    hooks: (release.hooks ?? []).map((hook) => hook.manifest),
  }))
}

/** The objects and hooks of a dry run, as `helm template --skip-tests` prints them. */
export function previewedStream(stdout: string, call: ReleaseCall): string {
  return readRelease(stdout, call, ({manifest = '', hooks = []}) => {
    const wanted = hooks.filter(({events = []}) => !events.includes('test'))
    return [manifest, ...wanted.map((hook) => hook.manifest)].join('\n---\n')
  })
}

/** A cancelled helm prints a sentence beside its JSON. */
function readRelease<T>(stdout: string, call: ReleaseCall, read: (release: ReleaseJson) => T): T {
  const json = stdout.slice(stdout.indexOf('{'), stdout.lastIndexOf('}') + 1)
  try {
    return read(JSON.parse(json))
  } catch {
    // No cause: a SyntaxError quotes the text, which holds values.
    throw new KkError(
      'KK_HELM_FAILED',
      `${call.namespace}/${call.name}: helm ended well, but printed no release`,
      {hint: 'run the same command again: kk looks at the cluster first'},
    )
  }
}
