import {isMap, type Values} from '../../base/values.ts'
import type {Environment} from '../../environment/environment.ts'
import type {Facts} from './facts.ts'

/** Returns the facts that the `global` of an environment states, under the keys where kk's charts read them. */
export function factsOfEnvironment({global = {}}: Pick<Environment, 'global'>): Facts {
  const endpoints = mapIn(global, 'endpoints')
  const storage = storageIn(global)
  const found = {
    controllers: count(mapIn(global, 'pod')['replicas']),
    region: text(global['region']),
    dnsDomain: text(endpoints['cluster_domain_suffix']) ?? text(global['cluster_domain_suffix']),
    storage: storageOf(storage),
    defaultStorageClass: text(storage['class']),
  } satisfies Record<string, unknown>
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as Facts
}

function storageOf({ephemeral, class: name}: Values): Facts['storage'] {
  if (ephemeral === true) return 'ephemeral'
  return ephemeral === false || text(name) !== undefined ? 'class' : undefined
}

/** Returns the map `storage`; one word in its place, `persistent` or `ephemeral`, tells only whether volumes outlive their pod. */
function storageIn(global: Values): Values {
  const {storage} = global
  if (storage === 'persistent' || storage === 'ephemeral') return {ephemeral: storage === 'ephemeral'}
  return mapIn(global, 'storage')
}

function mapIn(values: Values, key: string): Values {
  const value = values[key]
  return isMap(value) ? value : {}
}

/** Returns a number of replicas; it takes the place of the number of controllers, from which plugins conclude it. */
function count(value: unknown): number | undefined {
  return Number.isInteger(value) && (value as number) > 0 ? (value as number) : undefined
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
