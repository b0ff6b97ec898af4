import type {Values} from '../../base/values.ts'
import type {FactName, Facts} from '../facts/facts.ts'

/** A password or key that kk generates once, and that the chart expects at a path in its values. */
export interface SecretNeed {
  /** The name under which it is stored, unique per namespace: `oslo_db.admin.password`. */
  readonly name: string
  readonly kind: 'password' | 'fernet' | 'uuid' | 'rsa' | 'token' | 'ceph' | 'authority' | 'server'
  /** The path in the chart's values: `['global', 'endpoints', 'oslo_db', 'auth', 'admin', 'password']`. */
  readonly path: readonly string[]
  /** Set if a new value does not take effect with any upgrade of the charts. */
  readonly byHand?: ByHand
  /**
   * Computes the chart's value from the secret, if it is not the secret itself: a certificate of an
   * authority.
   */
  readonly derive?: (secret: string, other: string) => unknown
  /** The name of another secret of the release, which `given` needs: the key of the server. */
  readonly derivedWith?: string
}

/** The obstacle to a new value of a secret, and the steps that remove it. */
export interface ByHand {
  /**
   * The program that keeps using the former value: `MariaDB keeps the one of its first start in its data`.
   */
  readonly why: string
  /** The steps to take before kk gets the new value. */
  readonly first: string
}

/** The generator of the system overrides of one chart. */
export interface Plugin {
  readonly chart: string
  /** The namespaces of the chart without an environment; an environment may put it in any namespace. */
  readonly namespaces: readonly string[]
  /** The facts that decide the overrides; the plugin gets no others. */
  readonly reads: readonly FactName[]
  readonly secrets: readonly SecretNeed[]
  /** Charts that its chart requires although no manifest shows it; only kk's own plugins declare them. */
  readonly requires?: readonly string[]
  /** The file of a plugin that is not kk's own. */
  readonly file?: string
  overrides(facts: Facts, namespace: string): Values | Promise<Values>
  /**
   * In a plugin of kk's own, returns the overrides of the chart in kk's dialect; `overrides` is for
   * openstack-helm's.
   */
  kk?(facts: Facts, namespace: string): Values
  /** The facts for `kk`, if they differ from `reads`. */
  readonly kkReads?: readonly FactName[]
}

export interface PluginDefinition<Read extends FactName> {
  readonly chart: string
  /** The namespaces; by default `['openstack']`. */
  readonly namespaces?: readonly string[]
  readonly reads: readonly Read[]
  readonly secrets?: readonly SecretNeed[]
  readonly requires?: readonly string[]
  overrides(facts: Pick<Facts, Read>, namespace: string): Values
  kk?(facts: Pick<Facts, Read>, namespace: string): Values
  readonly kkReads?: readonly Read[]
}

/** Completes a definition with defaults. Its type gives a plugin only the facts that it declares to read. */
export function definePlugin<Read extends FactName>(definition: PluginDefinition<Read>): Plugin {
  return {namespaces: ['openstack'], secrets: [], ...definition}
}

/**
 * Returns the paths of secrets, which are never shown; one below `global` is also read at the top, with
 * priority.
 */
export function secretPaths({secrets}: Pick<Plugin, 'secrets'>): readonly (readonly string[])[] {
  return secrets.flatMap(({path}) => (path[0] === 'global' ? [path, path.slice(1)] : [path]))
}
