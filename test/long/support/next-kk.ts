import {chmod, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {inject} from 'vitest'
import {kkEnvironment} from '../../e2e/support/kk.ts'

const ROOT = join(import.meta.dirname, '../../..')

type Edits = Readonly<Record<string, readonly (readonly [string, string])[]>>

/**
 * A later kk: another version of itself and of its CRDs, and a field of Environments that this one does not
 * know.
 */
const LATER: Edits = {
  '/src/cli/version.ts': [['pjson.version', "'99.0.0'"]],
  '/src/operator/crds/crd.ts': [["VERSION = 'v1alpha1'", "VERSION = 'v1beta1'"]],
  '/src/operator/crds/environment.ts': [
    ['    suspend: {\n', "    sticky: {type: 'boolean', description: 'Of the later kk.'},\n    suspend: {\n"],
  ],
}

/** The next kk: it serves the CRDs as this one knows them, too. */
const NEXT: Edits = {
  ...LATER,
  '/src/operator/crds/crd.ts': [
    ...LATER['/src/operator/crds/crd.ts']!,
    ['EARLIER_VERSIONS: readonly string[] = []', "EARLIER_VERSIONS: readonly string[] = ['v1alpha1']"],
  ],
}

/** The kk that comes after this one, made of the same sources. */
export const nextKk = () => kkWith('kk-next', NEXT)

/** One that comes after that one, and has given up the version of the CRDs that this one knows. */
export const laterKk = () => kkWith('kk-later', LATER)

/** Makes a program that runs kk from its sources as if these texts in them were others. */
async function kkWith(name: string, edits: Edits) {
  const {home} = inject('run')
  const program = join(home, name)
  const hooks = join(home, `${name}.mjs`)
  const node = join(ROOT, 'node_modules/.bin/node')
  await writeFile(hooks, `const EDITS = ${JSON.stringify(edits)}\n${HOOKS}`)
  await writeFile(
    program,
    `#!/bin/sh\nexec "${node}" --import "${hooks}" "${join(ROOT, 'bin/kk.ts')}" "$@"\n`,
  )
  await chmod(program, 0o755)
  const run = (...words: readonly string[]) =>
    execa(program, words, {env: kkEnvironment(), extendEnv: false, reject: false, stdin: 'ignore'})
  return {program, run}
}

const HOOKS = `
import {registerHooks} from 'node:module'
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    const found = Object.keys(EDITS).find((path) => url.endsWith(path))
    if (!found) return loaded
    let source = String(loaded.source)
    for (const [from, to] of EDITS[found]) {
      if (!source.includes(from)) throw new Error(found + ' has no ' + from)
      source = source.replace(from, to)
    }
    return {...loaded, source}
  },
})
`
