import {CONFIG_MAPS, SECRETS} from '../kubernetes/api/resources.ts'
import {KK_NAMESPACE} from '../kubernetes/lease/lease.ts'
import type {Objects} from '../kubernetes/objects/objects.ts'
import type {Collection} from '../kubernetes/watch/collection.ts'
import {ENVIRONMENTS, type EnvironmentObject} from './crds/environment.ts'
import {ENVIRONMENT_LABEL, RELEASES} from './crds/release.ts'
import {requestedRetry} from './decision.ts'
import {sourceObjects} from './source.ts'

interface Listeners {
  /** The user inputs of an Environment have changed, or the Environment was deleted. */
  readonly onChanged: (environment: string) => void
  /** An Environment of `spec.after` has become ready, or ready with other inputs. */
  readonly onPredecessorReady: (environment: string) => void
  /** A Release was deleted. */
  readonly onReleaseDeleted: (release: string, environment: string | undefined) => void
}

/** The watched Environments with their inputs and Releases. */
export interface Inputs {
  environment(name: string): EnvironmentObject | undefined
  /** All Releases. */
  readonly releaseObjects: Collection
  /** Returns the Releases of an Environment. */
  releases(environment: string): ReturnType<Collection['all']>
  /** Returns the Releases of all Environments without `spec.cluster`. */
  ownReleases(): ReturnType<Collection['all']>
  /** Returns the names of all Environments. */
  names(): readonly string[]
  /** Returns why the watches are not up to date; undefined if they are. */
  problem(): string | undefined
}

/** Watches everything that the operator reads in `kk-system`, until the signal. */
export function followInputs(
  objects: Pick<Objects, 'follow'>,
  signal: AbortSignal,
  {onChanged, onPredecessorReady, onReleaseDeleted}: Listeners,
): Inputs {
  const environments = objects.follow(ENVIRONMENTS, KK_NAMESPACE, signal)
  const releases = objects.follow(RELEASES, KK_NAMESPACE, signal)
  const environment = (name: string) => environments.get(name) as unknown as EnvironmentObject | undefined
  const versions = new Map<string, string>()

  environments.subscribe((changed) => {
    const names = (changed ? [changed] : environments.all()).map(({metadata}) => metadata.name)
    for (const name of changed ? names : new Set([...names, ...versions.keys()])) {
      const version = inputsVersion(environment(name))
      if (versions.get(name) === version) continue
      if (version === undefined) versions.delete(name)
      else versions.set(name, version)
      onChanged(name)
    }
  })
  const steady = new Map<string, string | undefined>()
  environments.subscribe((changed) => {
    if (!changed) return
    const {name} = changed.metadata
    const since = environment(name)?.status?.steady?.since
    if (steady.get(name) === since) return
    steady.set(name, since)
    for (const {metadata} of environments.all())
      if (environment(metadata.name)!.spec.after?.some((each) => each.environment === name))
        onPredecessorReady(metadata.name)
  })
  releases.subscribe((changed) => {
    if (!changed || releases.get(changed.metadata.name)) return
    onReleaseDeleted(changed.metadata.name, changed.metadata.labels?.[ENVIRONMENT_LABEL])
  })
  for (const kind of [CONFIG_MAPS, SECRETS]) {
    objects.follow(kind, KK_NAMESPACE, signal, {isMetadata: true}).subscribe((changed) => {
      if (!changed) return
      const source = `${kind.kind}/${changed.metadata.name}`
      for (const {metadata} of environments.all())
        if (sourceObjects(environment(metadata.name)!).includes(source)) onChanged(metadata.name)
    })
  }

  return {
    environment,
    releaseObjects: releases,
    releases: (name) => releases.all().filter(({metadata}) => metadata.labels?.[ENVIRONMENT_LABEL] === name),
    ownReleases: () =>
      releases
        .all()
        .filter(({metadata}) => !environment(metadata.labels?.[ENVIRONMENT_LABEL] ?? '')?.spec.cluster),
    names: () => environments.all().map(({metadata}) => metadata.name),
    problem() {
      const problem = environments.problem() ?? releases.problem()
      if (problem) return problem.message
      return environments.isListed() && releases.isListed()
        ? undefined
        : 'the Environments have not been listed yet'
    },
  }
}

/** Returns a version of the user inputs, which writes of the operator do not change. */
function inputsVersion(environment: EnvironmentObject | undefined): string | undefined {
  if (!environment) return undefined
  const {uid, generation, deletionTimestamp} = environment.metadata
  return JSON.stringify([uid, generation, requestedRetry(environment.metadata), deletionTimestamp])
}
