import {expect, it} from 'vitest'
import {importText} from '../../../src/report/secrets/secrets-text.ts'
import type {ImportedSecret} from '../../../src/verbs/secrets/import-secrets.ts'

const imported = (outcome: ImportedSecret['outcome']) => ({
  namespace: 'openstack',
  secrets: [{name: 'oslo_db.nova.password', from: 'nova_database_password', outcome}],
  unknown: [],
  empty: [],
})

it.each([
  ['added', 'added', 'would be added'],
  ['replaced', 'replaced', 'would be replaced'],
  [
    'kept',
    'kept as it is (--replace takes the one of the file)',
    'kept as it is (--replace takes the one of the file)',
  ],
  ['same', 'there already', 'there already'],
] as const)(
  'an import and its dry run report what happens to a secret that is %s',
  (outcome, done, foreseen) => {
    const secret = 'openstack/oslo_db.nova.password from nova_database_password'

    expect(importText(imported(outcome), {isForeseen: false})).toBe(`${secret}: ${done}\n`)
    expect(importText(imported(outcome), {isForeseen: true})).toBe(`${secret}: ${foreseen}\n`)
  },
)
