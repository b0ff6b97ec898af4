import {asKkError, type ErrorCode} from '../../base/errors.ts'
import type {Helm, ReleaseCall, TemplateOptions} from '../../helm/helm.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {parseManifest} from '../../kubernetes/manifest/manifest.ts'

export interface ClusterRender extends TemplateOptions {
  /** The revision of an upgrade, for a chart that reads its number; without the cluster helm renders 1. */
  readonly revision?: number | undefined
}

/** The part of helm that renders. */
export type Renderer = Pick<Helm, 'template' | 'previewUpgrade'>

/** Returns the objects that helm would apply for a release, with hooks and, for a new one, `crds/`. */
export async function renderOnCluster(
  helm: Renderer,
  call: ReleaseCall,
  options: ClusterRender,
): Promise<readonly KubernetesObject[]> {
  return parseManifest(await manifestOnCluster(helm, call, options))
}

/**
 * Returns the manifest that helm would render for a release on the cluster, as a YAML stream. If the cluster
 * cannot be used yet (no right to read, or the plan adds a kind), renders the chart without it.
 */
export async function manifestOnCluster(
  helm: Renderer,
  call: ReleaseCall,
  {revision = 1, looksUp = false, ...offline}: ClusterRender,
): Promise<string> {
  return firstSuccess([
    ...(revision > 1 ? [() => helm.previewUpgrade(call, revision)] : []),
    ...(looksUp ? [() => helm.template(call, {...offline, looksUp})] : []),
    () => helm.template(call, offline),
  ])
}

type Attempt = () => Promise<string>

async function firstSuccess([attempt, ...fallbacks]: readonly Attempt[]): Promise<string> {
  try {
    return await attempt!()
  } catch (error) {
    if (fallbacks.length === 0 || isFinal(error)) throw error
    return firstSuccess(fallbacks).catch((later: unknown) => {
      throw isOfLookup(error) ? error : later
    })
  }
}

/** Errors that rendering without the cluster does not fix. */
const FINAL: readonly ErrorCode[] = ['KK_RENDER', 'KK_VALUES', 'KK_CHART', 'KK_INTERRUPTED', 'KK_UNREACHABLE']

function isFinal(error: unknown): boolean {
  return FINAL.includes(asKkError(error).code) && !isOfLookup(error)
}

/** Returns true if a lookup failed: it is forbidden, or its kind does not exist yet. */
function isOfLookup(error: unknown): boolean {
  return /error calling lookup:/.test(asKkError(error).message)
}
