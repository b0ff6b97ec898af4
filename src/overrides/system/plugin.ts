import type {Values} from '../../release.ts'
import type {FactName, Facts} from '../facts/facts.ts'

/** A password or key that kk makes once, and that the chart expects at a place among its values. */
export interface SecretNeed {
  /** The name under which it is kept, one per namespace: `oslo_db.admin.password`. */
  readonly name: string
  readonly kind: 'password' | 'fernet' | 'uuid' | 'rsa' | 'token'
  /** Where the chart wants it: `['global', 'endpoints', 'oslo_db', 'auth', 'admin', 'password']`. */
  readonly path: readonly string[]
  /** Where no upgrade of the charts brings a new value into effect. */
  readonly byHand?: ByHand
}

/** What stands in the way of a new value, and who takes it away. */
export interface ByHand {
  /** Who goes on with the former value: `MariaDB keeps the one of its first start in its data`. */
  readonly why: string
  /** What is done before kk is handed the new value. */
  readonly first: string
}

/** What generates the system overrides of one chart. */
export interface Plugin {
  readonly chart: string
  /** Where the chart can be without an environment; an environment may put it anywhere. */
  readonly namespaces: readonly string[]
  /** The facts that decide the overrides; no other is handed to it. */
  readonly reads: readonly FactName[]
  readonly secrets: readonly SecretNeed[]
  /** Charts that its own requires though no manifest shows it; only kk's own plugins say so. */
  readonly requires?: readonly string[]
  /** The file of a plugin that is not kk's own. */
  readonly file?: string
  overrides(facts: Facts, namespace: string): Values | Promise<Values>
  /** Of one of kk's own: what a chart of the name in kk's dialect gets; `overrides` and `secrets` are for openstack-helm's. */
  kk?(facts: Facts, namespace: string): Values
}

export interface PluginDefinition<Read extends FactName> {
  readonly chart: string
  /** By default `['openstack']`. */
  readonly namespaces?: readonly string[]
  readonly reads: readonly Read[]
  readonly secrets?: readonly SecretNeed[]
  readonly requires?: readonly string[]
  overrides(facts: Pick<Facts, Read>, namespace: string): Values
  kk?(facts: Pick<Facts, Read>, namespace: string): Values
}

/** Completes a definition; the type lets a plugin see only the facts that it says it reads. */
export function definePlugin<Read extends FactName>(definition: PluginDefinition<Read>): Plugin {
  return {namespaces: ['openstack'], secrets: [], ...definition}
}

/**
 * The places among a chart's values that hold secrets: never shown, and not to be set through the API. What stands below
 * `global` is read at the top, too, and wins there.
 */
export function secretPaths({secrets}: Pick<Plugin, 'secrets'>): readonly (readonly string[])[] {
  return secrets.flatMap(({path}) => (path[0] === 'global' ? [path, path.slice(1)] : [path]))
}
