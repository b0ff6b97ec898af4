import {releaseName, releaseNamespace} from '../../release.ts'
import {palette} from '../../report/colour.ts'
import {planText} from '../../report/plan/plan-text.ts'
import {planRotation} from '../../verbs/secrets/rotate-secret.ts'
import {secretNeeds} from '../../verbs/secrets/secret-needs.ts'
import {withSharedSecrets} from '../../verbs/secrets/shared-secrets.ts'
import {requireConfirmation} from '../confirm/confirm.ts'
import {openOnCluster} from '../open/on-cluster.ts'
import {keptSecretsOf} from '../open/secrets.ts'
import {placeOf} from '../show/show-run.ts'
import {levelOf} from '../show/streams.ts'
import {tell} from '../show/tell.ts'

type OpenFlags = Parameters<typeof openOnCluster>[0]

export type RotateFlags = OpenFlags & {
  readonly namespace?: string | undefined
  readonly yes: boolean
  readonly 'dry-run': boolean
}

export interface Rotated {
  readonly namespace: string
  readonly name: string
  readonly rotated: boolean
  /** The releases that still run with the former value. */
  readonly releases: readonly string[]
  /** What brings the new one to them; undefined where there are none. */
  readonly next?: string
}

/** Shows which releases a new value concerns, asks, and keeps it; they get it with the next upgrade. */
export async function rotate(name: string, flags: RotateFlags, words: readonly string[]): Promise<Rotated> {
  const {prepared: opened, cluster} = await openOnCluster(flags, [], {start: false, say: () => undefined})
  const {environment} = opened
  try {
    const prepared = await withSharedSecrets(opened)
    const needs = await secretNeeds(prepared)
    const namespace = flags.namespace ?? environment.namespace
    const kept = await keptSecretsOf(cluster, [namespace, ...[...needs.keys()].map(releaseNamespace)])
    const {plan, secret, releases} = await planRotation(prepared, cluster, {namespace, name, needs, kept})
    tell('stderr', planText(plan, palette(levelOf('stderr', words))))
    const isDry = flags['dry-run']
    if (!isDry && !flags.yes) await confirmRotation(`${name} in ${namespace}`)
    if (!isDry) await cluster.secrets.keep(namespace, [secret], {replace: true})
    const names = releases.map(releaseName)
    const place = placeOf([environment.file, ...names].join(' '), flags)
    return {
      namespace,
      name,
      rotated: !isDry,
      releases,
      ...(names.length > 0 && {next: `kk upgrade ${place}`}),
    }
  } finally {
    await cluster.close()
  }
}

async function confirmRotation(what: string): Promise<void> {
  const question = `make a new value for ${what}? These releases get it with their next upgrade.`
  return requireConfirmation(question, 'look at the plan above, then pass --yes')
}
