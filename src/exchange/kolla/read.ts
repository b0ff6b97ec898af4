import {KkError} from '../../base/errors.ts'
import type {Values} from '../../base/values.ts'
import {mergeValues} from '../../overrides/merge.ts'
import {type ContainerFiles, type CopiedFile, sourceName} from './container-config.ts'
import {readIni} from './ini.ts'
import {isMounted, lostOfContainer} from './lost.ts'
import {isSecretText} from './passwords.ts'

/** The most that a ConfigMap or a Secret holds, in bytes. */
const ROOM = 1_000_000

/** A container of kolla's as a component of a chart of kk: the value `kolla.<component>`. */
export interface ImportedContainer {
  /** The values for a ConfigMap: kolla's own keys, and `files`. */
  readonly values: Values
  /** The values for a Secret: `secrets`. */
  readonly secrets: Values
  readonly files: readonly {readonly name: string; readonly isSecret: boolean}[]
  /** Sentences on what will not work as it does on kolla's machines. */
  readonly notes: readonly string[]
}

/** Returns a container as values, apart from those that are secret, with what no pod does as kolla does it. Throws `KK_KOLLA`. */
export function importContainer(container: ContainerFiles): ImportedContainer {
  const {file, config, texts, passwords, readOnly} = container
  if (isSecretText(config.command, passwords))
    throw new KkError(
      'KK_KOLLA',
      `${file}: expected a command without a secret in it: a ConfigMap holds it`,
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
    notes: lostOfContainer(container),
  }
}

function refuseTooMuch(file: string, entries: readonly (readonly [string, string])[]): void {
  const bytes = entries.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0)
  if (bytes <= ROOM) return
  const names = entries.map(([name]) => name).join(', ')
  throw new KkError(
    'KK_KOLLA',
    `${file}: expected files of at most ${ROOM} bytes in all, got ${bytes}: ${names}`,
    {hint: 'a ConfigMap or a Secret holds no more: leave out of config_files what the image can have itself'},
  )
}

interface Handed {
  /** By file, section and name. */
  readonly options: readonly (readonly string[])[]
  readonly files: readonly {readonly key: string; readonly path: string}[]
}

/**
 * Returns what generated files say of the options that a chart hands to its jobs, as its `conf`: a job of the chart knows
 * no other place. Throws `KK_KOLLA` for a file that is not as oslo.config reads it.
 */
export function handedOptions(
  {options, files}: Handed,
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
