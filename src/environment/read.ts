import {basename, extname, resolve} from 'node:path'
import {seconds} from '../base/duration.ts'
import {KkError} from '../base/errors.ts'
import type {Position} from '../base/position.ts'
import type {ReadinessRules} from '../base/readiness.ts'
import {validate} from '../base/validate.ts'
import type {Values} from '../base/values.ts'
import {formatLocation, yamlError} from '../yaml/error.ts'
import {type Node, targetNode} from '../yaml/node.ts'
import {parseTrees} from '../yaml/tree.ts'
import {isMergeKey} from '../yaml/value.ts'
import {resolveWord} from '../yaml/word.ts'
import {treeValue} from '../yaml/yaml.ts'
import type {
  ChartSource,
  Environment,
  ReleaseSettings,
  RemoteChartSource,
  StatedRequirement,
} from './environment.ts'
import {locator} from './position.ts'
import {problemsError} from './problems.ts'
import {parseRequirement} from './requirement.ts'
import {ENVIRONMENT_SCHEMA} from './schema.ts'
import {refuseAmbiguousWords} from './words.ts'

export interface EnvironmentSource {
  /** The file name as the user typed it; `-` for standard input. */
  readonly file: string
  readonly text: string
  /** The base directory of relative paths in the file; absolute. */
  readonly directory: string
  /** Whether the environment's name is not used, so that any file name is accepted. */
  readonly nameless?: boolean
  /**
   * Called with a message for each duplicate key, of which the last one wins; if absent, a duplicate key is
   * an error.
   */
  readonly onDuplicate?: (message: string) => void
}

/**
 * Reads an environment. Throws `KK_YAML` for a document that Helm would not read, or would read differently
 * than it looks, and `KK_ENVIRONMENT` for violations of the schema. Each error has file:line:column.
 */
export function readEnvironment(source: EnvironmentSource): Environment {
  return readEnvironmentTree(source).environment
}

/** Reads an environment, with the document for callers that write it again. Throws as `readEnvironment`. */
export function readEnvironmentTree(source: EnvironmentSource): {environment: Environment; root: Node} {
  const root = onlyDocument(source, parseTrees(source))
  refuseAmbiguousWords(source, root)
  refuseOddSections(source, root)
  const value = treeValue(source, root, {duplicates: source.onDuplicate ?? 'error'})
  const problems = validate(ENVIRONMENT_SCHEMA, value)
  if (problems.length > 0)
    throw problemsError({source, root, problems, code: 'KK_ENVIRONMENT', schema: 'kk schema environment'})
  return {environment: buildEnvironment(source, value as Values), root}
}

function onlyDocument(source: EnvironmentSource, documents: readonly Node[]): Node {
  const [root, second] = documents
  if (!root)
    throw yamlError(
      source,
      0,
      'expected a map of sections, got an empty file',
      'name a release, e.g. "mariadb: {}"',
    )
  if (!second) return root
  throw yamlError(
    source,
    second.offset,
    'expected one document, got a second one',
    'an environment is one document: keep one',
  )
}

/**
 * Throws `KK_ENVIRONMENT` for keys that are no strings: Helm turns `y:` into "true" and `8080:` into "8080".
 */
function refuseOddSections(source: EnvironmentSource, root: Node): void {
  const map = targetNode(root)
  if (map.kind !== 'mapping') return
  for (const {key} of map.pairs) {
    const content = targetNode(key)
    const text = content.kind === 'scalar' ? content.text : undefined
    const word = content.kind === 'scalar' && content.plain && resolveWord(content.text)
    if (text !== undefined && (!word || isMergeKey(key))) continue
    const got = word
      ? `${text || 'nothing'}, which is ${word.kind === 'null' ? 'null' : `the ${word.kind} ${word.value}`}`
      : `a ${content.kind}`
    const message = `${formatLocation(source, key.offset)}: expected the name of a release as key, got ${got}`
    throw new KkError('KK_ENVIRONMENT', message, {hint: 'write the name in quotes'})
  }
}

function buildEnvironment(source: EnvironmentSource, value: Values): Environment {
  const {kk, global, ...sections} = value
  const position = locator(source)
  const {name, ...settings} = readSettings((kk ?? {}) as Values, {directory: source.directory, position})
  return {
    ...settings,
    name: name ?? defaultName(source),
    file: source.file,
    directory: source.directory,
    global: (global ?? undefined) as Values | undefined,
    sections: new Map(Object.entries(sections).map(([key, section]) => [key, (section ?? {}) as Values])),
    position,
  }
}

const NAME = /^[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$/

function defaultName({file, nameless}: EnvironmentSource): string {
  const name = basename(file, extname(file))
  if (nameless || NAME.test(name)) return name
  const message =
    file === '-'
      ? 'an environment on standard input needs a name, because it owns its releases by name'
      : `${file}: the file name is not a valid name of an environment: "${name}"`
  throw new KkError('KK_ENVIRONMENT', message, {hint: 'set kk.name'})
}

type Path = readonly (string | number)[]
type Locate = (path: Path) => Position | undefined

/** The `kk` section after validation, with defaults for missing keys. */
interface Settings
  extends Omit<Environment, 'name' | 'file' | 'directory' | 'global' | 'sections' | 'position'> {
  readonly name: string | undefined
}

interface SettingsOptions {
  /** The base directory of relative paths. */
  readonly directory: string
  readonly position: Locate
}

/** Reads a valid `kk` section. */
function readSettings(kk: Values, {directory, position}: SettingsOptions): Settings {
  const releases = Object.entries((kk.releases ?? {}) as Record<string, Values | null>)
  return {
    name: kk.name as string | undefined,
    namespace: (kk.namespace as string | undefined) ?? 'openstack',
    context: kk.context as string | undefined,
    charts: ((kk.charts as SourceSettings[] | undefined) ?? ['built-in']).map((each) =>
      chartSource(each, directory),
    ),
    features: (kk.features as string[] | undefined) ?? [],
    infer: (kk.infer as boolean | undefined) ?? true,
    secrets: (kk.secrets as boolean | undefined) ?? true,
    given: (kk.given as string[] | undefined) ?? [],
    readiness: readinessRules((kk.readiness ?? {}) as Readonly<Record<string, RuleSettings>>),
    releases: new Map(
      releases.map(([name, settings]) => [name, releaseSettings(name, settings ?? {}, position)]),
    ),
  }
}

interface RuleSettings {
  readonly path: string
  readonly value: string | readonly string[]
}

function readinessRules(rules: Readonly<Record<string, RuleSettings>>): ReadinessRules {
  return new Map(Object.entries(rules).map(([kind, {path, value}]) => [kind, {path, values: [value].flat()}]))
}

type SourceSettings =
  | string
  | (Omit<RemoteChartSource, 'kind' | 'url'> & {readonly repository?: string; readonly oci?: string})

function chartSource(source: SourceSettings, directory: string): ChartSource {
  if (source === 'built-in') return {kind: 'built-in'}
  if (typeof source !== 'string') {
    const {repository, oci = '', keyring, ...locked} = source
    const more = {...locked, ...(keyring !== undefined && {keyring: resolve(directory, keyring)})}
    return repository === undefined
      ? {kind: 'oci', url: oci, ...more}
      : {kind: 'repository', url: repository, ...more}
  }
  if (source.startsWith('oci://')) return {kind: 'oci', url: source}
  return {kind: 'directory', path: resolve(directory, source)}
}

function releaseSettings(name: string, settings: Values, position: Locate): ReleaseSettings {
  const {requires, without, timeout, ...same} = settings
  const path = ['kk', 'releases', name, 'requires']
  return {
    ...(same as Pick<
      ReleaseSettings,
      'chart' | 'version' | 'namespace' | 'protected' | 'infer' | 'secrets' | 'components'
    >),
    requires: ((requires ?? []) as RequirementSettings[]).map((each, index) =>
      requirement(each, position([...path, index])),
    ),
    without: (without ?? []) as string[],
    ...(typeof timeout === 'string' && {timeoutSeconds: seconds(timeout) as number}),
  }
}

type RequirementSettings = string | Partial<StatedRequirement>

function requirement(item: RequirementSettings, position: Position | undefined): StatedRequirement {
  if (typeof item === 'string') return parseRequirement(item, position) as StatedRequirement
  const {release = '', namespace, kind = 'ready'} = item
  return {release, kind, ...(namespace !== undefined && {namespace}), ...(position && {position})}
}
