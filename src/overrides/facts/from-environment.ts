import {isMap, type Values} from '../../base/values.ts'
import type {Environment} from '../../environment/environment.ts'
import type {Facts} from './facts.ts'

/** Returns the facts in the `global` of an environment, at the keys that kk's charts read. */
export function factsOfEnvironment({global = {}}: Pick<Environment, 'global'>): Facts {
  const endpoints = mapIn(global, 'endpoints')
  const storage = storageIn(global)
  const facts = {
    controllers: count(mapIn(global, 'pod')['replicas']),
    region: text(global['region']),
    dnsDomain: text(endpoints['cluster_domain_suffix']) ?? text(global['cluster_domain_suffix']),
    storage: readStorage(storage),
    defaultStorageClass: text(storage['class']),
  } satisfies Record<string, unknown>
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as Facts
}

function readStorage({ephemeral, class: name}: Values): Facts['storage'] {
  if (ephemeral === true) return 'ephemeral'
  return ephemeral === false || text(name) !== undefined ? 'class' : undefined
}

/**
 * Returns the map `storage`; as a string, `persistent` or `ephemeral`, it only indicates whether volumes
 * outlive their pod.
 */
function storageIn(global: Values): Values {
  const {storage} = global
  if (storage === 'persistent' || storage === 'ephemeral') return {ephemeral: storage === 'ephemeral'}
  return mapIn(global, 'storage')
}

function mapIn(values: Values, key: string): Values {
  const value = values[key]
  return isMap(value) ? value : {}
}

/** Returns a number of replicas, which plugins use instead of the number of controllers. */
function count(value: unknown): number | undefined {
  return Number.isInteger(value) && (value as number) > 0 ? (value as number) : undefined
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
