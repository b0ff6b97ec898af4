import type {KubernetesObject} from '../../../cluster/cluster.ts'
import {parseManifest} from '../../../cluster/manifest.ts'
import {asKkError, type ErrorCode} from '../../../errors.ts'
import type {Helm, ReleaseCall, TemplateOptions} from '../../../helm/helm.ts'

export interface ClusterRender extends TemplateOptions {
  /** The revision that an upgrade makes, for a chart that asks for its number; without the cluster it is 1. */
  readonly revision?: number | undefined
}

/** The helm that renders. */
export type Renderer = Pick<Helm, 'template' | 'previewUpgrade'>

/** What helm would make of one release on the cluster: its objects, hooks and, of one that is new, `crds/`. */
export async function renderOnCluster(
  helm: Renderer,
  call: ReleaseCall,
  options: ClusterRender,
): Promise<readonly KubernetesObject[]> {
  return parseManifest(await manifestOnCluster(helm, call, options))
}

/**
 * The same as the YAML stream. What cannot be asked of the cluster yet (the deployer may not look, a kind comes with the plan)
 * is rendered without it.
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

/** Of the chart, not of what the cluster is asked about it. */
const FINAL: readonly ErrorCode[] = ['KK_RENDER', 'KK_VALUES', 'KK_CHART', 'KK_INTERRUPTED', 'KK_UNREACHABLE']

function isFinal(error: unknown): boolean {
  return FINAL.includes(asKkError(error).code) && !isOfLookup(error)
}

/** The lookup itself failed: it is not allowed, or of a kind that is not there yet. */
function isOfLookup(error: unknown): boolean {
  return /error calling lookup:/.test(asKkError(error).message)
}
