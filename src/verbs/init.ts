import {readFile, writeFile} from 'node:fs/promises'
import {basename, dirname, join, parse, resolve} from 'node:path'
import {KkError} from '../base/errors.ts'
import {suggest} from '../base/suggest.ts'
import {validate} from '../base/validate.ts'
import {readChartYaml} from '../charts/chart-yaml.ts'
import {type ChartFinding, chartNames} from '../charts/find-chart.ts'
import {readEnvironment} from '../environment/read.ts'
import {ENVIRONMENT_SCHEMA} from '../environment/schema.ts'
import {
  EXAMPLE_DOMAIN,
  IGNORED,
  SCHEMA_FILE,
  type Starter,
  starterText,
  UPSTREAM,
} from '../environment/starter.ts'
import {refuseOddSettings} from '../exchange/imported.ts'
import {exists} from '../state/files/exists.ts'
import {expectWritable, writeNamedFile} from '../state/files/write-named-file.ts'

/** A new environment, and the files of its directory. */
export interface Initialized extends Starter {
  readonly file: string
  /** Files that were created or extended, or would be in a dry run. */
  readonly written: readonly string[]
  /** The content of the environment file. */
  readonly text: string
}

interface InitOptions {
  /** The path of the new environment file, as the user wrote it. */
  readonly file: string
  readonly starter: Starter
  /** kk's own charts by name, with their descriptions. */
  readonly charts: ReadonlyMap<string, string>
  /** Returns the JSON Schema for editors. */
  readonly schema: () => Promise<string>
  readonly dryRun: boolean
}

/**
 * Writes an environment file, and next to it its schema and a `.gitignore`. An existing `.gitignore` is only
 * extended, an existing schema stays. Rejects with `KK_USAGE` for invalid settings and with `KK_FILE` if the
 * file already exists; nothing is written then.
 */
export async function initEnvironment(options: InitOptions): Promise<Initialized> {
  const {file, starter, charts, dryRun} = options
  expectStarter(starter, charts)
  await expectNew(file)
  const text = starterText(starter, charts)
  readEnvironment({file, text, directory: resolve(dirname(file))})

  const ignore = join(dirname(file), '.gitignore')
  const schemaFile = join(dirname(file), SCHEMA_FILE)
  const ignored = await readIfExists(ignore)
  const grown = withIgnored(ignored)
  const files = [
    ...(grown === ignored ? [] : [{path: ignore, text: async () => grown}]),
    ...((await exists(schemaFile)) ? [] : [{path: schemaFile, text: options.schema}]),
  ]
  if (!dryRun) {
    const ready = await Promise.all(files.map(async (each) => ({...each, text: await each.text()})))
    for (const each of ready) await writeNamedFile(each.path, each.text, {mode: 0o644})
    await writeNew(file, text)
  }
  return {...starter, file, written: [file, ...files.map(({path}) => path)], text}
}

/** Returns kk's own charts that can be installed by name, with their descriptions. */
export async function ownCharts(finding: ChartFinding): Promise<ReadonlyMap<string, string>> {
  const directory = await finding.builtIn()
  const manifests = (await chartNames([{kind: 'built-in'}], finding)).map((name) =>
    readChartYaml(join(directory, name)),
  )
  return new Map(
    manifests.filter(({type}) => type === 'application').map(({name, description}) => [name, description]),
  )
}

/**
 * Throws `KK_USAGE` for a service without a chart, a registry that is not one, and settings that the schema
 * does not allow.
 */
export function expectStarter(
  {services, name, namespace, context, domain = EXAMPLE_DOMAIN, registry = UPSTREAM}: Partial<Starter>,
  charts: ReadonlyMap<string, string>,
): void {
  refuseOddSettings({
    ...(name !== undefined && {name}),
    ...(namespace !== undefined && {namespace}),
    ...(context !== undefined && {context}),
  })
  if (!REGISTRY.test(registry))
    throw new KkError(
      'KK_USAGE',
      `--registry: expected a registry or ${UPSTREAM}, got ${JSON.stringify(registry)}`,
      {
        hint: 'a registry is HOST, HOST:PORT or HOST/PATH, without https://',
      },
    )
  if (!DOMAIN.test(domain))
    throw new KkError('KK_USAGE', `--domain: expected the name of a domain, got ${JSON.stringify(domain)}`, {
      hint: `for example --domain ${EXAMPLE_DOMAIN}`,
    })
  if (services?.length === 0)
    throw new KkError('KK_USAGE', 'expected at least one service', {
      hint: `kk has: ${[...charts.keys()].join(', ')}`,
    })
  for (const service of services ?? []) {
    if (charts.has(service)) continue
    const close = suggest(service, charts.keys())
    throw new KkError('KK_USAGE', `kk has no chart ${JSON.stringify(service)}`, {
      hint: close === undefined ? `it has: ${[...charts.keys()].join(', ')}` : `did you mean ${close}?`,
    })
  }
}

/**
 * Returns the name of a file without its extension, or for `kk.yaml` of its directory, if it is a valid name
 * of an environment, else `my-cloud`.
 */
export function environmentName(file: string): string {
  const name = basename(file) === 'kk.yaml' ? basename(dirname(resolve(file))) : parse(file).name
  return validate(ENVIRONMENT_SCHEMA, {kk: {name}}).length === 0 ? name : 'my-cloud'
}

const DOMAIN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/

/** A registry with an optional path, as in the name of an image. */
const REGISTRY = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*$/

async function expectNew(file: string): Promise<void> {
  if (!/\.ya?ml$/.test(file))
    throw new KkError('KK_USAGE', `expected the name of a file that ends in .yaml, got ${file}`, {
      hint: 'kk knows environment files by their ending',
    })
  if (await exists(file)) throw existsAlready(file)
  await expectWritable(file)
}

async function writeNew(file: string, text: string): Promise<void> {
  await writeFile(file, text, {flag: 'wx', mode: 0o644}).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EEXIST') throw existsAlready(file)
    throw new KkError('KK_FILE', `${file} cannot be written (${cause.code})`, {
      cause,
      hint: 'check the free space and the permissions of the directory',
    })
  })
}

function existsAlready(file: string): KkError {
  return new KkError('KK_FILE', `${file} exists already; nothing was written`, {
    hint: 'name another file, or edit that one',
  })
}

/** Returns the content of a file, or an empty string if it does not exist. Rejects with `KK_FILE`. */
async function readIfExists(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return ''
    throw new KkError('KK_FILE', `${file} cannot be read (${cause.code})`, {
      cause,
      hint: 'check the file and its permissions',
    })
  })
}

function withIgnored(text: string): string {
  const lines = new Set(text.split('\n').map((line) => line.trim()))
  const missing = IGNORED.filter((each) => !lines.has(each))
  if (missing.length === 0) return text
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`
  return `${before}${before === '' ? '' : '\n'}# Secrets of environments of kk\n${missing.join('\n')}\n`
}
