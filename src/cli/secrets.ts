import {Flags} from '@oclif/core'
import {releaseName, releaseNamespace} from '../release.ts'
import {planText} from '../report/plan/plan-text.ts'
import type {SecretPlace} from '../verbs/secrets/list-secrets.ts'
import {planRotation} from '../verbs/secrets/rotate-secret.ts'
import {clusterKeeper, type SecretKeeper, storeKeeper} from '../verbs/secrets/secret-keeper.ts'
import {secretNeeds} from '../verbs/secrets/secret-needs.ts'
import {withSharedSecrets} from '../verbs/secrets/shared-secrets.ts'
import {type Console, requireConfirmation, tell} from './console.ts'
import {clusterFlags, documentFlags, environmentFlags, overrideFlags} from './flags.ts'
import {openChosenCluster} from './open/cluster.ts'
import {openOnCluster} from './open/open.ts'
import {keptSecretsOf} from './open/secrets.ts'
import type {StoreFlags} from './open/store.ts'
import {namedEnvironment, onStore} from './overrides/open-overrides.ts'
import {placeOf} from './run/run.ts'

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
export async function rotate(name: string, flags: RotateFlags, console: Console): Promise<Rotated> {
  const {prepared: opened, cluster} = await openOnCluster(flags, [], {start: false, say: () => undefined})
  const {environment} = opened
  try {
    const prepared = await withSharedSecrets(opened)
    const needs = await secretNeeds(prepared)
    const namespace = flags.namespace ?? environment.namespace
    const kept = await keptSecretsOf(cluster, [namespace, ...[...needs.keys()].map(releaseNamespace)])
    const {plan, secret, releases} = await planRotation(prepared, cluster, {namespace, name, needs, kept})
    tell('stderr', planText(plan, console.palette('stderr')))
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

/** A replaced password is lost: that is never done unasked. */
export async function confirmReplacement(show: () => void): Promise<void> {
  show()
  const hint = 'look at what would be replaced above, then pass --yes'
  return requireConfirmation('replace these? Their former values are lost.', hint)
}

export const secretsFlags = {
  in: Flags.option({
    summary: 'Where they are kept: in the cluster or, for work without one, in the store of overrides.',
    options: ['cluster', 'store'] as const,
    default: 'cluster',
  })(),
  environment: {
    ...environmentFlags.environment,
    summary: 'The environment that says which cluster, and whose releases get which (also KK_ENVIRONMENT).',
  },
  store: overrideFlags.store,
  plugins: overrideFlags.plugins,
  ...documentFlags,
  ...clusterFlags,
}

export const namespaceFlag = {
  namespace: Flags.string({summary: 'The namespace of the releases.', helpValue: 'NAME'}),
}

export interface KeeperFlags extends StoreFlags {
  readonly in: SecretPlace
  readonly environment?: string | undefined
}

/** Works on the secrets of the cluster, or with `--in store` of the store, which nothing but a change makes. */
export async function onKeeper<T>(
  flags: KeeperFlags,
  {changes, say}: {readonly changes: boolean; readonly say: (line: string) => void},
  body: (keeper: SecretKeeper) => Promise<T>,
): Promise<T> {
  const environment = await namedEnvironment(flags)
  if (flags.in === 'store') {
    return onStore(flags, {changes, say, environment}, (store) => body(storeKeeper(store ?? NO_STORE)))
  }
  const cluster = await openChosenCluster(flags, environment, {start: false, say})
  return body(clusterKeeper(cluster)).finally(() => cluster.close())
}

/** What a store without secrets says. */
const NO_STORE: Parameters<typeof storeKeeper>[0] = {
  secrets: async () => [],
  putSecret: async () => {
    throw new Error('a store that was opened to read cannot be written')
  },
}
