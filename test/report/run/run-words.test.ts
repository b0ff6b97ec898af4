import {expect, it} from 'vitest'
import {successText} from '../../../src/report/run/run-words.ts'

const notes = [{object: 'StatefulSet/db', message: '0 of 2 pods are of its current version (OnDelete)'}]

it.each([
  ['upgrade', undefined, 'upgraded, revision 2, 12 s'],
  [
    'upgrade',
    {state: 'partial', notes},
    'upgraded, revision 2, 12 s; partial: StatefulSet/db: 0 of 2 pods are of its current version (OnDelete)',
  ],
  ['await', undefined, 'healthy, revision 2, 12 s'],
  [
    'await',
    {state: 'partial', notes},
    'partial, revision 2, 12 s; partial: StatefulSet/db: 0 of 2 pods are of its current version (OnDelete)',
  ],
  [
    'check',
    {state: 'healthy', notes},
    'checked, revision 2, 12 s; StatefulSet/db: 0 of 2 pods are of its current version (OnDelete)',
  ],
] as const)('the end of an %s with the health %j is described as %s', (kind, health, text) => {
  expect(successText(kind, {revision: 2, seconds: 12, ...(health && {health})})).toBe(text)
})
