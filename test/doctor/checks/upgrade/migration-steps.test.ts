import {describe, expect, it} from 'vitest'
import {judgeSteps, type MigrationStep} from '../../../../src/doctor/checks/upgrade/migration-steps.ts'

const step = (more: Partial<MigrationStep>): MigrationStep => ({
  ...{revision: 'b2', branch: null, does: 'drops the column', table: 'volumes', column: 'host'},
  ...{rows: 12, bytes: 4096},
  ...more,
})
const judged = (more: Partial<MigrationStep>, accepted: readonly string[] = []) =>
  judgeSteps({service: 'cinder', section: 'block', accepted}, [step(more)])

describe('a migration that the database has not seen', () => {
  it('is refused if it takes from the old processes what they use', () => {
    expect(judged({})).toEqual([
      {
        what: 'migration b2 of cinder drops the column host of volumes (12 rows, 1 MB): the processes of the old release, which still serve, use it',
        advice: 'if that is acceptable, state it in the file: kk.releases.block.migrations: [b2]',
        refusal: 'KK_UPGRADE_CHECK',
      },
    ])
    expect(judged({does: 'drops the table', column: undefined!, rows: 0, bytes: 0})).toMatchObject([
      {refusal: 'KK_UPGRADE_CHECK'},
    ])
  })

  it('is noted if it does so when they have ended, or if it is accepted', () => {
    expect(judged({branch: 'contract'})).toEqual([
      {what: 'migration b2 of cinder drops the column host of volumes (12 rows, 1 MB)'},
    ])
    expect(judged({}, ['b2'])[0]).not.toHaveProperty('refusal')
  })

  it('is refused if it locks a large table, and noted for a small one', () => {
    const rewrite = {does: 'rewrites the table', table: 'tags', column: null} as const
    const large = judged({...rewrite, rows: 4_000_000, bytes: 600 * 1024 ** 2})

    expect(large[0]).toMatchObject({
      what: 'migration b2 of cinder rewrites the table tags (4000000 rows, 600 MB): it can be written to only after about 30 s',
      refusal: 'KK_UPGRADE_CHECK',
    })
    expect(judged(rewrite)).toEqual([
      {
        what: 'migration b2 of cinder rewrites the table tags (12 rows, 1 MB): it can be written to only after about 1 s',
      },
    ])
  })

  it('is not mentioned if its table is empty', () => {
    expect(judged({does: 'allows no NULL in the column', rows: 0, bytes: 16_384})).toEqual([])
  })
})
