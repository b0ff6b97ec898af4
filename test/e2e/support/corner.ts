import {chmod, mkdir, writeFile} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {inject} from 'vitest'
import {uniqueName} from './cluster.ts'
import {kk} from './kk.ts'

const CHARTS = join(import.meta.dirname, '../../fixtures/charts')

/** An environment for a corner: `api` requires `db`. */
export const TWO = `
kk:
  OWN
  releases: {db: {chart: workload}, api: {chart: workload, requires: [db]}}
db: {}
api: {}
`

/** A test's own corner: a directory for its files, and a name for its environment and its namespace. */
export interface Corner {
  /** Nobody else's; the namespace is made when the first release is installed. */
  readonly name: string
  readonly directory: string
  /** Writes a file and returns its path. */
  write(file: string, text: string): Promise<string>
  /** Writes a shell script to be named by `KK_HELM`; `$HELM` in it is the real helm. */
  helm(script: string, file?: string): Promise<string>
  /** Runs kk in the directory. */
  kk(args: readonly string[], options?: Parameters<typeof kk>[1]): ReturnType<typeof kk>
}

/** Opens a corner with `env.yaml`; the end of the run deletes it. */
export async function openCorner(environment = ''): Promise<Corner> {
  const corner = await emptyCorner('corner')
  await corner.write('env.yaml', environment)
  return corner
}

/**
 * A corner without a file; `makeEnvironment` puts one there that a test gives as an object. In what `write`
 * is given, `NAME` stands for the corner's name, `CHARTS` for `test/fixtures/charts`, and `OWN`, below `kk:`,
 * for the lines that say so.
 */
export async function emptyCorner(prefix: string): Promise<Corner> {
  const name = uniqueName(prefix)
  const directory = join(inject('run').home, 'corners', name)
  const own = 'name: NAME\n  namespace: NAME\n  charts: [CHARTS]'
  await mkdir(directory, {recursive: true})
  return {
    name,
    directory,
    async write(file, text) {
      const path = join(directory, file)
      await mkdir(dirname(path), {recursive: true})
      // Words, for the certificates of a kubeconfig have these letters by accident.
      const filled = text.replaceAll(/\bOWN\b/g, own).replaceAll(/\bNAME\b/g, name)
      await writeFile(path, filled.replaceAll(/\bCHARTS\b/g, CHARTS))
      return path
    },
    async helm(script, file = 'helm') {
      const path = join(directory, file)
      await writeFile(path, `#!/bin/sh\nHELM=${join(inject('run').toolbox, 'helm4')}\n${script}\n`)
      await chmod(path, 0o755)
      return path
    },
    kk: (args, options) => kk(args, {cwd: directory, ...options}),
  }
}
