import {readFile} from 'node:fs/promises'
import {chooseEnvironmentFile, splitArguments} from '../environment/choose.ts'

/**
 * Returns names from an environment file for shell completion: the release names or, if `kind` is
 * `environment`, the name of the environment. Matches lines with regular expressions, because loading the
 * YAML parser takes too long for a completion; unusual formatting yields fewer names. `words` is the command
 * line so far, which may specify the file.
 */
export async function completedNames(
  kind: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<readonly string[]> {
  try {
    const lines = (await readFile(await namedFile(words, env), 'utf8')).split('\n')
    return kind === 'environment' ? environmentName(lines) : releaseNames(lines)
  } catch {
    return []
  }
}

async function namedFile(words: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const typed = words.slice(0, -1)
  const [flag] = typed.flatMap((word, at) => {
    if (['-e', '--environment'].includes(word)) return typed[at + 1] ?? []
    return /^(?:-e|--environment)=?(.+)/.exec(word)?.[1] ?? []
  })
  const {file} = splitArguments(flag === undefined ? typed.filter(isPositional) : [])
  return chooseEnvironmentFile({argument: file, flag, env, cwd: process.cwd()})
}

/**
 * Returns true for a positional argument: not a flag, and not the value of one, such as RELEASE=FILE of
 * --values.
 */
function isPositional(word: string, at: number, words: readonly string[]): boolean {
  return !word.startsWith('-') && !word.includes('=') && !FLAGS_WITH_FILES.has(words[at - 1] ?? '')
}

const FLAGS_WITH_FILES: ReadonlySet<string> = new Set([
  '--facts',
  '--file',
  '--kubeconfig',
  '--save',
  '--store',
])

/** Returns the sections, and the keys below `kk.releases`. */
function releaseNames(lines: readonly string[]): readonly string[] {
  const sections = lines.flatMap((line) => /^["']?([a-z0-9][-a-z0-9]*)["']?:/.exec(line)?.[1] ?? [])
  const settings = linesBelow(linesBelow(lines, /^kk:/), /^\s+releases:/)
  const indent = /^\s*/.exec(settings[0] ?? '')![0]
  const configured = settings.flatMap(
    (line) => new RegExp(`^${indent}["']?([a-z0-9][-a-z0-9]*)["']?:`).exec(line)?.[1] ?? [],
  )
  return [
    ...new Set([...sections.filter((name) => name !== 'kk' && name !== 'global'), ...configured]),
  ].sort()
}

function environmentName(lines: readonly string[]): readonly string[] {
  const inline = lines.filter((line) => /^kk:\s*\{/.test(line))
  const [name] = [...inline, ...linesBelow(lines, /^kk:/)].flatMap(
    (line) => /^(?:kk:\s*\{(?:.*,)?)?\s*name:\s*["']?([\w.-]+)/.exec(line)?.[1] ?? [],
  )
  return name === undefined ? [] : [name]
}

/** Returns the lines below a key with deeper indentation, without comments. */
function linesBelow(lines: readonly string[], key: RegExp): readonly string[] {
  const start = lines.findIndex((line) => key.test(line))
  if (start < 0) return []
  const depth = lines[start]!.search(/\S/)
  const after = lines.slice(start + 1).filter((line) => /^\s*[^\s#]/.test(line))
  const end = after.findIndex((line) => line.search(/\S/) <= depth)
  return end < 0 ? after : after.slice(0, end)
}
