import {join} from 'node:path'
import {execa} from 'execa'

export interface Verdict {
  readonly kstatus: string
  readonly fail: string
  readonly warn: string
}

/**
 * What two judges whose rules are not kk's say of each object: kstatus, and Flux's checker of conditions. Go
 * builds them for a minute.
 */
export async function judge(objects: readonly object[]): Promise<readonly Verdict[]> {
  const {stdout} = await execa('go', ['run', '.'], {
    cwd: join(import.meta.dirname, '../../../toolbox/judge'),
    env: {GOTOOLCHAIN: 'local'},
    input: JSON.stringify(objects),
  })
  return JSON.parse(stdout) as readonly Verdict[]
}
