import {mkdir} from 'node:fs/promises'
import {ensureSystemPackages} from '../../../scripts/system-packages.ts'
import {NODE_KIT} from '../../../scripts/toolbox/recipe.ts'
import {buildToolbox} from '../../../scripts/toolbox.ts'
import type {AioRun} from './setup.ts'

interface Prepared extends Omit<AioRun, 'state' | 'isFound'>, Partial<Pick<AioRun, 'state' | 'isFound'>> {
  readonly say: (line: string) => void
}

/**
 * Brings what the node needs beside the toolbox of a sandbox, as far as it is missing, and makes `home`,
 * where the node is unless `state` says otherwise.
 */
export async function prepareAio({say, home, ...run}: Prepared): Promise<AioRun> {
  await ensureSystemPackages(say, 'aio')
  const kit = await buildToolbox(process.env, say, NODE_KIT)
  await mkdir(home, {recursive: true})
  return {state: home, isFound: false, ...run, home, toolbox: `${run.toolbox}:${kit}`}
}
