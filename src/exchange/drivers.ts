import {dig, digText} from '../base/dig.ts'
import {KkError} from '../base/errors.ts'
import type {Values} from '../base/values.ts'
import {type ReleaseId, releaseId} from '../release.ts'
import {applicationTarget} from './argocd/read.ts'
import {helmReleaseTarget} from './flux/target.ts'

/** An object of another tool that installs a release and reconciles it. */
export interface Driver {
  readonly kind: 'HelmRelease' | 'Application'
  readonly namespace: string
  readonly name: string
  readonly release: ReleaseId
  /** The cluster of the release; undefined for the object's own cluster. */
  readonly cluster: string | undefined
  /** Whether the tool leaves the release untouched, even when the object is deleted. */
  readonly isSuspended: boolean
}

/** Returns the Flux HelmReleases, and the Argo CD Applications that install a chart, in a list of objects. */
export function driversAmong(objects: readonly Values[]): readonly Driver[] {
  return objects.flatMap((object): readonly Driver[] => {
    const {apiVersion, kind, metadata, spec} = object
    const [group] = String(apiVersion).split('/')
    const place = {namespace: digText(metadata, 'namespace') ?? '', name: digText(metadata, 'name') ?? ''}
    if (kind === 'HelmRelease' && group === 'helm.toolkit.fluxcd.io') {
      const {namespace, name} = helmReleaseTarget(object)
      const kubeConfig = dig(spec, 'kubeConfig')
      const cluster = digText(kubeConfig, 'secretRef', 'name') ?? digText(kubeConfig, 'configMapRef', 'name')
      const isSuspended = dig(spec, 'suspend') === true
      return [{kind, ...place, release: releaseId(namespace, name), cluster, isSuspended}]
    }
    const target = kind === 'Application' && group === 'argoproj.io' ? applicationTarget(object) : undefined
    return target ? [{kind: 'Application', ...place, ...target, isSuspended: false}] : []
  })
}

/**
 * What a tool does with a release that its object no longer refers to, and how to detach the object first.
 */
const TOOLS: Readonly<Record<Driver['kind'], {readonly leaves: string; readonly letGo: string}>> = {
  HelmRelease: {
    leaves: 'Flux would uninstall',
    letGo:
      'suspend each of these HelmReleases, and delete those that get another release: deleting a suspended one uninstalls nothing',
  },
  Application: {
    leaves: 'Argo CD would no longer manage, and may prune,',
    letGo: 'delete each of these Applications without its resources (argocd app delete --cascade=false)',
  },
}

/**
 * Throws `KK_EXPORT` if an object of the export would replace an existing object that installs another
 * release, or would install a release that an existing, unsuspended object of another name also installs.
 * `where` is the location of the existing objects; `retryCommand` is the step to take afterwards.
 */
export function expectSameDrivers(
  exported: readonly Driver[],
  present: readonly Driver[],
  {where, retryCommand}: {readonly where: string; readonly retryCommand: string},
): void {
  const lines = exported.flatMap((next) =>
    present.filter(({kind}) => kind === next.kind).flatMap((each) => clash(each, next)),
  )
  if (lines.length === 0) return
  const {letGo} = TOOLS[exported[0]!.kind]
  throw new KkError('KK_EXPORT', [`this export does not fit what is in ${where}:`, ...lines].join('\n'), {
    hint: `${letGo}; then ${retryCommand}`,
  })
}

function clash(present: Driver, next: Driver): readonly string[] {
  const isSameObject = present.namespace === next.namespace && present.name === next.name
  const isSameRelease = present.release === next.release && present.cluster === next.cluster
  const head = `  ${present.kind} ${present.namespace}/${present.name} installs ${target(present)}`
  if (isSameObject && !isSameRelease)
    return [`${head}, and ${target(next)} in this export: ${TOOLS[present.kind].leaves} ${target(present)}`]
  if (isSameObject || !isSameRelease || present.isSuspended) return []
  return [`${head}, as ${next.namespace}/${next.name} of this export does: both would manage it`]
}

function target({release, cluster}: Driver): string {
  return cluster === undefined ? release : `${release} on ${cluster}`
}
