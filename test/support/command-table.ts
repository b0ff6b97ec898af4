import {execa} from 'execa'

/** Makes `src/table.js`, which tests import, as `npm ci` did: it is not in git, and a pull changes commands. */
export async function setup(): Promise<void> {
  await execa('node', ['scripts/table.ts', '--when-old'], {preferLocal: true})
}
