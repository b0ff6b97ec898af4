import {KkError} from '../../base/errors.ts'
import {mergeValues} from '../../base/merge.ts'
import type {Values} from '../../base/values.ts'
import {type ContainerFiles, type CopiedFile, sourceName} from './container-config.ts'
import {readIni} from './ini.ts'
import {containerLosses, isMounted} from './lost.ts'
import {isSecretText} from './passwords.ts'

/** The maximum size of the data of a ConfigMap or Secret, in bytes. */
const MAX_DATA_BYTES = 1_000_000

/** A kolla container as a component of one of kk's charts: the value `kolla.<component>`. */
export interface ImportedContainer {
  /** The values for a ConfigMap: kolla's own keys, and `files`. */
  readonly values: Values
  /** The values for a Secret: `secrets`. */
  readonly secrets: Values
  readonly files: readonly {readonly name: string; readonly isSecret: boolean}[]
  /** Sentences on what works differently than on kolla's hosts. */
  readonly notes: readonly string[]
}

/**
 * Returns a container as public and secret values, with notes on what a pod does differently. Throws
 * `KK_KOLLA`.
 */
export function importContainer(container: ContainerFiles): ImportedContainer {
  const {file, config, texts, passwords, readOnly} = container
  if (isSecretText(config.command, passwords))
    throw new KkError(
      'KK_KOLLA',
      `${file}: expected a command without a secret: it is stored in a ConfigMap`,
      {hint: 'put the secret into a file that the command reads'},
    )
  const files = [...texts].map(([name, text]) => ({name, text, isSecret: isSecretText(text, passwords)}))
  const entries = (isSecret: boolean) =>
    files.filter((each) => each.isSecret === isSecret).map(({name, text}) => [name, text] as const)
  for (const place of [entries(true), entries(false)]) refuseTooMuch(file, place)
  const permissions = config.permissions.filter(({path}) => !isMounted(path, readOnly))
  return {
    values: {...config, permissions, files: Object.fromEntries(entries(false))},
    secrets: {secrets: Object.fromEntries(entries(true))},
    files: files.map(({name, isSecret}) => ({name, isSecret})),
    notes: containerLosses(container),
  }
}

function refuseTooMuch(file: string, entries: readonly (readonly [string, string])[]): void {
  const bytes = entries.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0)
  if (bytes <= MAX_DATA_BYTES) return
  const names = entries.map(([name]) => name).join(', ')
  throw new KkError(
    'KK_KOLLA',
    `${file}: expected files of at most ${MAX_DATA_BYTES} bytes in all, got ${bytes}: ${names}`,
    {
      hint: 'this is the limit of a ConfigMap and of a Secret: remove from config_files what the image can contain itself',
    },
  )
}

interface JobOptions {
  /** By file, section and name. */
  readonly options: readonly (readonly string[])[]
  readonly files: readonly {readonly key: string; readonly path: string}[]
}

/**
 * Returns the values that generated files set for the options that a chart passes to its jobs, as its `conf`:
 * the chart's jobs read them from nowhere else. Throws `KK_KOLLA` for a file that oslo.config cannot parse.
 */
export function jobConfOptions(
  {options, files}: JobOptions,
  copied: readonly CopiedFile[],
  texts: ReadonlyMap<string, string>,
): Values {
  const read = options.flatMap(([key = '', section = '', name = '']) => {
    const path = files.find((file) => file.key === key)?.path
    const source = copied.find(({dest}) => dest === path)
    const text = source && texts.get(sourceName(source))
    const value = text === undefined ? undefined : readIni({file: sourceName(source!), text})[section]?.[name]
    return value === undefined ? [] : [{[key]: {[section]: {[name]: value}}}]
  })
  return mergeValues(...read)
}
