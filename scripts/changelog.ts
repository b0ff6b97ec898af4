/**
 * `npm run changelog -- VERSION`: moves the changes of `docs/changes/` into CHANGELOG.md, as the section of a
 * version.
 */
import {readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {valid} from 'semver'

const ROOT = join(import.meta.dirname, '..')

/** By the second part of a file's name, in the order of the section. */
const KINDS = {
  added: 'Added',
  changed: 'Changed',
  removed: 'Removed',
  fixed: 'Fixed',
  security: 'Security',
} as const
type Kind = keyof typeof KINDS

export interface Change {
  readonly file: string
  readonly kind: Kind
  readonly text: string
}

/** Returns the changes in a directory, by name. Throws for an unknown kind, and for an empty file. */
export function readChanges(directory: string): readonly Change[] {
  const files = readdirSync(directory).filter((file) => file !== 'README.md')
  return files.sort().map((file) => {
    const kind = /^[a-z0-9-]+\.([a-z]+)\.md$/.exec(file)?.[1] ?? ''
    const text = readFileSync(join(directory, file), 'utf8').trim()
    if (!Object.hasOwn(KINDS, kind))
      throw new Error(
        `expected a name like what-it-is.fixed.md, of ${Object.keys(KINDS).join(', ')}; got ${file}`,
      )
    if (text === '' || /^(#|- )/.test(text))
      throw new Error(`${file}: expected a sentence, without a heading or a dash`)
    return {file, kind: kind as Kind, text}
  })
}

/**
 * Returns CHANGELOG.md with a section of these changes above the others. Throws if the version already has
 * one.
 */
export function withSection(changelog: string, version: string, changes: readonly Change[]): string {
  if (valid(version) === null) throw new Error(`expected a version such as 0.2.0, got ${version}`)
  if (changelog.includes(`\n## ${version}\n`))
    throw new Error(`CHANGELOG.md has a section ${version} already`)
  if (changes.length === 0) throw new Error('there is no change in docs/changes/')
  const byKind = Map.groupBy(changes, ({kind}) => kind)
  const parts = (Object.keys(KINDS) as Kind[])
    .filter((kind) => byKind.has(kind))
    .map((kind) => `### ${KINDS[kind]}\n\n${byKind.get(kind)!.map(item).join('')}`)
  const first = changelog.indexOf('\n## ')
  return `${changelog.slice(0, first)}\n## ${version}\n\n${parts.join('\n')}${changelog.slice(first)}`
}

/** An item of the list; its links are relative to the root, where CHANGELOG.md is. */
function item({text}: Change): string {
  const linked = text.replaceAll(/\]\((?!https?:)(?:\.\.\/)([^)]+)\)/g, (_, path: string) =>
    path.startsWith('../') ? `](${path.slice(3)})` : `](docs/${path})`,
  )
  return `- ${linked.replaceAll('\n', '\n  ')}\n`
}

if (import.meta.main) {
  const directory = join(ROOT, 'docs/changes')
  const changelog = join(ROOT, 'CHANGELOG.md')
  const changes = readChanges(directory)
  writeFileSync(changelog, withSection(readFileSync(changelog, 'utf8'), process.argv[2] ?? '', changes))
  for (const {file} of changes) rmSync(join(directory, file))
}
