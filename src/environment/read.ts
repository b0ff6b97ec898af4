import {basename, extname, resolve} from 'node:path'
import {seconds} from '../base/duration.ts'
import {KkError} from '../base/errors.ts'
import type {Position} from '../base/position.ts'
import type {ReadinessRules} from '../base/readiness.ts'
import {type JsonSchema, validate} from '../base/validate.ts'
import {isMap, type Values} from '../base/values.ts'
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
  SecretReference,
  StatedRequirement,
} from './environment.ts'
import {refuseForeignFile} from './foreign-file.ts'
import {locator} from './position.ts'
import {problemsError} from './problems.ts'
import {parseRequirement} from './requirement.ts'
import {ENVIRONMENT_SCHEMA, SECTION_SCHEMA} from './schema.ts'
import {refuseAmbiguousWords} from './words.ts'

export interface EnvironmentSource {
  /** The file name as the user typed it; `-` for standard input. */
  readonly file: string
  readonly text: string
  /** The base directory of relative paths in the file; absolute. */
  readonly directory: string
  /** Whether the text was merged from several files. */
  readonly isMerged?: boolean
  /**
   * Called with a message for each duplicate key, of which the last one wins; if absent, a duplicate key is
   * an error.
   */
  readonly onDuplicate?: (message: string) => void
}

/** Values of an environment from one file, and their positions. */
export interface EnvironmentPart {
  readonly source: EnvironmentSource
  readonly value: Values
  /** Returns the position of a key. The first call builds an index. */
  readonly position: Locate
}

/** An environment in one document, which may name other files. */
export interface EnvironmentDocument extends EnvironmentPart {
  readonly root: Node
}

/**
 * Reads an environment in one document. Throws the errors of `readDocument`, and `KK_ENVIRONMENT` if it names
 * other files: an environment that was sent must not read files of the machine that receives it.
 */
export function readEnvironment(source: EnvironmentSource): Environment {
  const document = readDocument(source)
  const [reference] = fileReferences(document)
  if (!reference) return buildEnvironment(document)
  const message = `${referencePlace(document, reference)}: expected an environment in one document, got the name of a file`
  throw new KkError('KK_ENVIRONMENT', message, {
    hint: 'merge its files on the machine that has them: kk values split FILE --merged',
  })
}

/**
 * Reads a document. Throws `KK_YAML` for one that Helm would not read, or would read differently than it
 * looks, and `KK_ENVIRONMENT` for violations of the schema and for files of other tools. Each error has
 * file:line:column.
 */
export function readDocument(source: EnvironmentSource): EnvironmentDocument {
  refuseForeignFile(source)
  const [root, second] = parseTrees(source)
  if (!root)
    throw yamlError(
      source,
      0,
      'expected a map of sections, got an empty file',
      'name a release, e.g. "mariadb: {}"',
    )
  if (second) throw secondDocument(source, second)
  refuseOddSections(source, root)
  return {source, root, value: checkedValue(source, root, ENVIRONMENT_SCHEMA), position: locator(source)}
}

/** Reads a file with values of one release, below its section. Throws the errors of `readDocument`. */
export function readSectionFile(source: EnvironmentSource, release: string): EnvironmentPart {
  const [root, second] = parseTrees(source)
  if (second) throw secondDocument(source, second)
  const values = root ? checkedValue(source, root, SECTION_SCHEMA) : {}
  const position = locator(source)
  return {
    source,
    value: {[release]: values},
    position: ([section, ...path]) => (section === release ? position(path) : undefined),
  }
}

function secondDocument(source: EnvironmentSource, {offset}: Node): KkError {
  const hint = 'an environment is one document: keep one'
  return yamlError(source, offset, 'expected one document, got a second one', hint)
}

function checkedValue(source: EnvironmentSource, root: Node, schema: JsonSchema): Values {
  refuseAmbiguousWords(source, root)
  const value = treeValue(source, root, {duplicates: source.onDuplicate ?? 'error'})
  const problems = validate(schema, value)
  if (problems.length === 0) return (value ?? {}) as Values
  throw problemsError({source, root, problems, code: 'KK_ENVIRONMENT', schema: 'kk schema environment'})
}

/** A file that an environment names. */
export interface FileReference {
  readonly name: string
  /** Where the document names it. */
  readonly path: Path
  /** The release whose values it has; undefined for an included file. */
  readonly release?: string
}

/** Returns the files that a document names, from the weakest to the strongest. */
export function fileReferences({value}: EnvironmentPart): readonly FileReference[] {
  const {include = [], releases} = (value.kk ?? {}) as {
    readonly include?: readonly string[]
    readonly releases?: Readonly<Record<string, {readonly values?: readonly string[]} | null>> | null
  }
  return [
    ...include.map((name, index) => ({name, path: ['kk', 'include', index]})),
    ...Object.entries(releases ?? {}).flatMap(([release, settings]) =>
      (settings?.values ?? []).map((name, index) => ({
        ...{name, release},
        path: ['kk', 'releases', release, 'values', index],
      })),
    ),
  ]
}

/** Returns the position of the name of a file, as messages print it. */
export function referencePlace({position}: EnvironmentPart, {path}: FileReference): string {
  const {file, line, column} = position(path) as Position
  return `${file}:${line}:${column}`
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

/** Returns the environment of a document; other files that it names are not read. */
export function buildEnvironment({source, value, position}: EnvironmentPart): Environment {
  const {kk, global, ...sections} = value
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

function defaultName({file}: EnvironmentSource): string {
  const name = basename(file, extname(file))
  if (NAME.test(name)) return name
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
    secrets: kk.secrets !== false,
    secretReferences: new Map(isMap(kk.secrets) ? Object.entries(kk.secrets as SecretReferences) : []),
    given: (kk.given as string[] | undefined) ?? [],
    allowedConf: (kk.conf as {readonly allow?: string[]} | null | undefined)?.allow ?? [],
    readiness: readinessRules((kk.readiness ?? {}) as Readonly<Record<string, RuleSettings>>),
    releases: new Map(
      releases.map(([name, settings]) => [name, releaseSettings(name, settings ?? {}, position)]),
    ),
  }
}

type SecretReferences = Readonly<Record<string, SecretReference>>

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
  const {requires, without, timeout, values: _, ...same} = settings
  const path = ['kk', 'releases', name, 'requires']
  return {
    ...(same as Pick<
      ReleaseSettings,
      | 'chart'
      | 'version'
      | 'namespace'
      | 'protected'
      | 'infer'
      | 'secrets'
      | 'components'
      | 'unavailable'
      | 'migrations'
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
