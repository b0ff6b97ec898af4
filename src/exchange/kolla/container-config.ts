import {KkError} from '../../base/errors.ts'
import {pathPattern} from '../../base/path-pattern.ts'
import {type JsonSchema, validate} from '../../base/validate.ts'
import {problemsError} from '../../environment/problems.ts'
import type {Source} from '../../yaml/error.ts'
import {parseTrees} from '../../yaml/tree.ts'

/** A file that kolla_start copies, with kolla's keys (set_configs.py). */
export interface CopiedFile {
  readonly source: string
  readonly dest: string
  readonly owner?: string
  readonly perm?: string
  readonly optional?: boolean
  readonly merge?: boolean
  readonly preserve_properties?: boolean
}

/** The owner set on a path in the container. */
interface Permission {
  readonly path: string
  readonly owner: string
  readonly perm?: string
  readonly recurse?: boolean
  readonly exclude?: readonly string[]
}

/** The content of a `config.json`, the start contract of kolla's images. */
export interface ContainerConfig {
  readonly command: string
  readonly config_files: readonly CopiedFile[]
  readonly permissions: readonly Permission[]
}

const TEXT = {title: 'a string', type: 'string', pattern: '.'} as const
const FLAG = {title: 'true or false', type: 'boolean'} as const
const PATH = {title: 'an absolute path', type: 'string', pattern: '^/'} as const
const OWNER = {title: 'user or user:group', type: 'string', pattern: '^[\\w.-]+(:[\\w.-]*)?$'} as const
const MODE = {title: 'a mode such as "0600"', type: 'string', pattern: '^0o?[0-7]{3}$'} as const

const SCHEMA: JsonSchema = {
  title: 'a map with the key "command"',
  type: 'object',
  properties: {
    command: TEXT,
    config_files: {
      title: 'a list of files',
      type: 'array',
      items: {
        title: 'a map with source and dest',
        type: 'object',
        properties: {
          ...{source: PATH, dest: PATH, owner: OWNER, perm: MODE},
          ...{optional: FLAG, merge: FLAG, preserve_properties: FLAG},
        },
        required: ['source', 'dest'],
        additionalProperties: false,
      },
    },
    permissions: {
      title: 'a list of permissions',
      type: 'array',
      items: {
        title: 'a map with path and owner',
        type: 'object',
        properties: {
          ...{path: PATH, owner: OWNER, perm: MODE, recurse: FLAG},
          exclude: {title: 'a list of patterns', type: 'array', items: TEXT},
        },
        required: ['path', 'owner'],
        additionalProperties: false,
      },
    },
  },
  required: ['command'],
  additionalProperties: false,
}

/**
 * Parses a `config.json` as kolla_start does. Throws `KK_KOLLA` with line and column for what kolla_start
 * would reject.
 */
export function readContainerConfig(source: Source): ContainerConfig {
  const value = parsed(source)
  const problems = validate(SCHEMA, value)
  const [root] = parseTrees(source)
  if (problems.length > 0 && root)
    throw problemsError({source, root, problems, code: 'KK_KOLLA', schema: 'set_configs.py of kolla'})
  const {command, config_files = [], permissions = []} = value as Partial<ContainerConfig>
  for (const {source: from, owner, perm, preserve_properties} of config_files) {
    if (preserve_properties || (owner !== undefined && perm !== undefined)) continue
    throw new KkError(
      'KK_KOLLA',
      `${source.file}: ${from}: expected owner and perm, or preserve_properties`,
      {hint: 'add them: kolla_start rejects a file without them'},
    )
  }
  return {command: command!, config_files, permissions}
}

function parsed({file, text}: Source): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    // The message quotes the content, which can be secret.
    const place = /position \d+(?: \(line \d+ column \d+\))?/.exec((cause as Error).message)?.[0]
    throw new KkError(
      'KK_KOLLA',
      `${file}: expected JSON${place ? `, got something else at ${place}` : ''}`,
      {hint: 'regenerate it: kolla-ansible genconfig'},
    )
  }
}

/** The directory in which kolla_start expects its sources. */
const MOUNT = '/var/lib/kolla/config_files/'

/**
 * Returns the files of a directory that its `config.json` copies, by their names relative to it: each source
 * is a file, a directory or a pattern. Throws `KK_KOLLA` for a missing source, which would terminate the
 * container.
 */
export function usedFiles(
  file: string,
  {config_files}: ContainerConfig,
  names: readonly string[],
): readonly string[] {
  const used = config_files.flatMap((entry) => {
    const matches = names.filter((name) => isCopied(entry, name))
    if (matches.length === 0 && !entry.optional) throw missing(file, entry)
    return matches
  })
  return [...new Set(used)].sort()
}

/** Returns the name of a source relative to kolla's directory. */
export function sourceName({source}: Pick<CopiedFile, 'source'>): string {
  return source.replace(MOUNT, '').replace(/\/+$/, '')
}

/** A pattern may also match a parent directory. */
function isCopied({source}: CopiedFile, name: string): boolean {
  if (!source.startsWith(MOUNT)) return false
  const pattern = pathPattern(sourceName({source}))
  const steps = name.split('/')
  return steps.some((_, at) => pattern?.test(steps.slice(0, at + 1).join('/')))
}

function missing(file: string, {source}: CopiedFile): KkError {
  if (!source.startsWith(MOUNT))
    return new KkError('KK_KOLLA', `${file}: expected sources below ${MOUNT}, got ${source}`, {
      hint: 'the pod has no other files of the host: put the file into the directory, or make it optional',
    })
  return new KkError('KK_KOLLA', `${file} copies ${source}, which is not in its directory`, {
    hint: 'regenerate it (kolla-ansible genconfig), or make it optional',
  })
}

export interface ContainerFiles {
  /** The path of its `config.json`. */
  readonly file: string
  readonly config: ContainerConfig
  /** By name relative to the directory. */
  readonly texts: ReadonlyMap<string, string>
  /** Strings that are secret wherever they occur. */
  readonly passwords: readonly string[]
  /** Paths in the container that the chart mounts read-only. */
  readonly readOnly: readonly string[]
}
