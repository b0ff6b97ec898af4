import {asKkError, type ErrorCode} from '../../base/errors.ts'
import type {Helm, ReleaseCall, TemplateOptions} from '../../helm/helm.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {parseManifest} from '../../kubernetes/manifest/manifest.ts'

export interface ClusterRender extends TemplateOptions {
  /** The revision that an upgrade makes, for a chart that asks for its number; helm renders 1 without the cluster. */
  readonly revision?: number | undefined
}

/** The part of helm that renders. */
export type Renderer = Pick<Helm, 'template' | 'previewUpgrade'>

/** Returns the objects that helm would make of a release, with hooks and, for a new one, `crds/`. */
export async function renderOnCluster(
  helm: Renderer,
  call: ReleaseCall,
  options: ClusterRender,
): Promise<readonly KubernetesObject[]> {
  return parseManifest(await manifestOnCluster(helm, call, options))
}

/**
 * Returns what helm would make of one release on the cluster, as a YAML stream. If the cluster cannot be asked yet (the
 * deployer may not look, or a kind comes with the plan), the chart is rendered without it.
 */
export async function manifestOnCluster(
  helm: Renderer,
  call: ReleaseCall,
  {revision = 1, looksUp = false, ...offline}: ClusterRender,
): Promise<string> {
  return firstThatCan([
    ...(revision > 1 ? [() => helm.previewUpgrade(call, revision)] : []),
    ...(looksUp ? [() => helm.template(call, {...offline, looksUp})] : []),
    () => helm.template(call, offline),
  ])
}

type Way = () => Promise<string>

async function firstThatCan([way, ...others]: readonly Way[]): Promise<string> {
  try {
    return await way!()
  } catch (error) {
    if (others.length === 0 || isFinal(error)) throw error
    return firstThatCan(others).catch((later: unknown) => {
      throw isOfLookup(error) ? error : later
    })
  }
}

/** Errors of the chart, which rendering it without the cluster does not mend. */
const FINAL: readonly ErrorCode[] = ['KK_RENDER', 'KK_VALUES', 'KK_CHART', 'KK_INTERRUPTED', 'KK_UNREACHABLE']

function isFinal(error: unknown): boolean {
  return FINAL.includes(asKkError(error).code) && !isOfLookup(error)
}

/** Whether a lookup failed: it is not allowed, or of a kind that does not exist yet. */
function isOfLookup(error: unknown): boolean {
  return /error calling lookup:/.test(asKkError(error).message)
}
