import {expect, it} from 'vitest'
import {pruneDocument, pruneText} from '../../src/report/images/prune-text.ts'
import {viewText} from '../../src/report/text/view.ts'

const MIB = 2 ** 20
const UNNEEDED = {
  images: [
    {id: 'a'.repeat(64), names: ['localhost/kk/keystone:2023.1-debian-bookworm'], bytes: 60 * MIB},
    {id: 'b'.repeat(64), names: [], bytes: 2 * MIB},
    {id: 'c'.repeat(64), names: [], bytes: 0},
  ],
  files: [{path: '/root/.cache/kk/images/rootfs/1.tar', bytes: 128 * MIB}],
}

it('unneeded images are a table with a sum, with one line for unnamed images', () => {
  expect(viewText(pruneText(UNNEEDED)).trimEnd().split('\n')).toEqual([
    'localhost/kk/keystone:2023.1-debian-bookworm   60.0 MiB',
    '2 without a name, of earlier builds             2.0 MiB',
    '/root/.cache/kk/images/rootfs/1.tar           128.0 MiB',
    'together                                      190.0 MiB',
  ])
  expect(pruneDocument(UNNEEDED)).toEqual({...UNNEEDED, bytes: 190 * MIB})
})

it('an empty prune is reported as such', () => {
  expect(viewText(pruneText({images: [], files: []}))).toBe('nothing is left of earlier builds\n')
})
