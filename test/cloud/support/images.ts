import {join} from 'node:path'
import {execa} from 'execa'
import {inject} from 'vitest'
import {phase} from './phase.ts'

export const ROOT = join(import.meta.dirname, '../../..')

/** The registry of the node. */
const REGISTRY = 'localhost:5010'

/** Builds images of the charts (all, unless named), as far as their inputs changed, and pushes what the node's registry lacks. */
export async function pushImages(...names: readonly string[]): Promise<void> {
  // With the cache of whoever runs the tests, where built images are known.
  await phase('images built and pushed', () =>
    execa(inject('aio').kk, ['images', 'build', ...names, '--push', REGISTRY], {cwd: ROOT, stdin: 'ignore'}),
  )
}

/** The reference of an image of kk's in the registry of the node. */
export function imageOf(name: string): string {
  return `${REGISTRY}/kk/${name}:2025.1-debian-trixie`
}
