import {KkError} from '../../errors.ts'
import type {Values} from '../../release.ts'
import type {ContainerConfig} from './container-config.ts'
import {isSecretText} from './is-secret-text.ts'

/** What a ConfigMap or a Secret holds at most, in bytes. */
const ROOM = 1_000_000

/** A container of kolla's as a component of a chart of kk: the value `kolla.<component>`. */
export interface ImportedContainer {
  /** What is for a ConfigMap: kolla's own keys, and `files`. */
  readonly values: Values
  /** What is for a Secret: `secrets`. */
  readonly secrets: Values
  readonly files: readonly {readonly name: string; readonly isSecret: boolean}[]
  /** What will not work as it does on kolla's machines. */
  readonly notes: readonly string[]
}

export interface ContainerFiles {
  /** Of its `config.json`. */
  readonly file: string
  readonly config: ContainerConfig
  /** By name below the directory. */
  readonly texts: ReadonlyMap<string, string>
  /** Texts that are secret, wherever they stand. */
  readonly passwords: readonly string[]
  /** Paths in the container that the chart mounts to be read only. */
  readonly readOnly: readonly string[]
}

/** Sorts out what may be seen, and what kolla does that no pod can. Throws `KK_KOLLA`. */
export function importContainer(container: ContainerFiles): ImportedContainer {
  const {file, config, texts, passwords, readOnly} = container
  if (isSecretText(config.command, passwords))
    throw new KkError(
      'KK_KOLLA',
      `${file}: expected a command without a secret in it: a ConfigMap holds it`,
      {
        hint: 'put the secret into a file that the command reads',
      },
    )
  const files = [...texts].map(([name, text]) => ({name, text, isSecret: isSecretText(text, passwords)}))
  const entries = (isSecret: boolean) =>
    files.filter((each) => each.isSecret === isSecret).map(({name, text}) => [name, text] as const)
  for (const place of [entries(true), entries(false)]) refuseTooMuch(file, place)
  const isMounted = (path: string) => readOnly.some((mount) => `${path}/`.startsWith(`${mount}/`))
  const permissions = config.permissions.filter(({path}) => !isMounted(path))
  return {
    values: {...config, permissions, files: Object.fromEntries(entries(false))},
    secrets: {secrets: Object.fromEntries(entries(true))},
    files: files.map(({name, isSecret}) => ({name, isSecret})),
    notes: [
      ...config.permissions
        .filter(({path}) => isMounted(path))
        .map(({path}) => `the owner of ${path} is left out: the chart mounts it to be read only`),
      ...foreignAddresses(config.command).map(({address}) => listens('the command', address)),
      ...files.flatMap(({name, text}) =>
        foreignAddresses(text).map(({line, address}) => listens(`${name}:${line}`, address)),
      ),
    ],
  }
}

function listens(what: string, address: string): string {
  return `${what} listens at ${address}, which no pod has: set api_interface_address: 0.0.0.0 in globals.yml and generate it again`
}

function refuseTooMuch(file: string, entries: readonly (readonly [string, string])[]): void {
  const bytes = entries.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0)
  if (bytes <= ROOM) return
  const names = entries.map(([name]) => name).join(', ')
  throw new KkError(
    'KK_KOLLA',
    `${file}: expected files of at most ${ROOM} bytes in all, got ${bytes}: ${names}`,
    {
      hint: 'a ConfigMap or a Secret holds no more: leave out of config_files what the image can have itself',
    },
  )
}

/** Where a server listens: options of oslo, uwsgi and MariaDB, Apache's directives, and memcached's command line. */
const LISTENS =
  /^\s*(?:(?:bind_host|bind-address|https?|https?-socket|socket)\s*=\s*|Listen\s+|\S*memcached\s.*\s-l\s+|<VirtualHost\s+)\[?([\da-f.:]*[\d:])\]?(?::\d+)?(?=[\s,>]|$)/i
/** Every pod has these. */
const OF_EVERY_POD = /^(?:0\.0\.0\.0|127\.[\d.]+|::1?|:?\d*)(?::\d+)?$/

interface ForeignAddress {
  /** 1-based. */
  readonly line: number
  readonly address: string
}

/** Where a file makes a server listen at the address of a machine, which no pod has. */
function foreignAddresses(text: string): readonly ForeignAddress[] {
  return text.split('\n').flatMap((line, at) => {
    const [, address] = LISTENS.exec(line) ?? []
    return address === undefined || OF_EVERY_POD.test(address) ? [] : [{line: at + 1, address}]
  })
}
