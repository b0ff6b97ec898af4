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
   * Computes the value for the chart from the secret, e.g. a certificate from the key of an authority;
   * omitted if the value is the secret itself.
   */
  readonly derive?: (secret: string, other: string) => unknown
  /** The name of the other secret that `derive` needs, e.g. the key of the server. */
  readonly derivedWith?: string
}

/** Why a new value of a secret needs manual steps, and which. */
export interface ByHand {
  /**
   * Why a new value alone has no effect: `MariaDB keeps the one of its first start in its data`.
   */
  readonly why: string
  /** The steps before the new value is set in kk. */
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
  /**
   * Charts that this chart requires although its manifests do not show it; only kk's own plugins declare
   * them.
   */
  readonly requires?: readonly string[]
  /** The file of a plugin that is not kk's own. */
  readonly file?: string
  overrides(facts: Facts, namespace: string): Values | Promise<Values>
  /**
   * Returns the overrides for a chart in kk's dialect; `overrides` is for one in openstack-helm's. Only kk's
   * own plugins have it.
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
 * Returns the paths of secrets, which are never shown. A path below `global` is returned twice: charts also
 * read it at the top level, with precedence.
 */
export function secretPaths({secrets}: Pick<Plugin, 'secrets'>): readonly (readonly string[])[] {
  return secrets.flatMap(({path}) => (path[0] === 'global' ? [path, path.slice(1)] : [path]))
}
