import {execa} from 'execa'

/** Pages: only unit tests read them, which always run. */
const PAGE = /\.md$|^docs\//
/** Imported only by tests, so vitest knows which ones. */
const OF_TESTS = /^(test|scripts|bench)\/.*\.ts$/
/** Imported by tests, too, but end-to-end tests start the binary that is built from them. */
const OF_THE_BINARY = /^(src|bin)\/.*\.ts$/

/**
 * The files that differ from the commit, in the work tree, the index or later commits, including new ones.
 */
export async function changedFiles(root: string, since = 'HEAD'): Promise<readonly string[]> {
  const git = async (...args: readonly string[]) =>
    (await execa('git', args, {cwd: root, lines: true})).stdout
  const [changed, added] = await Promise.all([
    git('diff', '--name-only', since),
    git('ls-files', '--others', '--exclude-standard'),
  ])
  return [...changed, ...added]
}

/**
 * Arguments for the runs of vitest that cover what a change of these files can affect. Charts, images,
 * fixtures and the like are read as files, which vitest does not see: they affect everything.
 */
export function runsForChange(files: readonly string[], since?: string): readonly (readonly string[])[] {
  const importers = since === undefined ? ['--changed'] : [`--changed=${since}`]
  const code = files.filter((file) => !PAGE.test(file))
  const isKnown = code.every((file) => OF_TESTS.test(file) || OF_THE_BINARY.test(file))
  const isOfTests = code.every((file) => OF_TESTS.test(file))
  return [
    ['--project=unit'],
    ['--project=programs', ...(isKnown ? importers : [])],
    ['--project=e2e', ...(isOfTests ? importers : [])],
  ]
}
