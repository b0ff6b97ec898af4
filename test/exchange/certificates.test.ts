import {X509Certificate} from 'node:crypto'
import {expect, it} from 'vitest'
import type {DialectChart} from '../../src/charts/dialect.ts'
import {certificateLines, certificatesOf} from '../../src/exchange/certificates.ts'
import {FORMATS, lostText} from '../../src/exchange/lost.ts'
import {generateSecret} from '../../src/overrides/generate-secret.ts'
import {makeAuthority} from '../../src/overrides/tls/authority.ts'
import {certifier} from '../../src/overrides/tls/certificates.ts'
import {exportedWith} from './support/exported.ts'

const CHART = {dialect: 'kk', values: {}} as unknown as DialectChart
const FILES = certifier(makeAuthority()).certificate(['a'], generateSecret('server'))
const ENDS = new Date(new X509Certificate(FILES['tls.crt']).validTo).toISOString().slice(0, 10)
const AUTHORITY = {name: 'tls.authority', isNew: false}

it.each<[string, object, readonly (typeof AUTHORITY)[], string]>([
  [
    'kk makes',
    {files: FILES},
    [AUTHORITY],
    `a: expires ${ENDS}, issued by kk, renewed by kk secrets rotate and another export`,
  ],
  [
    'kk will make',
    {files: FILES},
    [{...AUTHORITY, isNew: true}],
    'a: ten years from the first deploy, issued by kk, renewed by kk secrets rotate and another export',
  ],
  ['values state', {files: FILES}, [], `a: expires ${ENDS}, from the values, renewed by their author`],
  [
    'cert-manager makes',
    {issuer: {name: 'b', kind: 'Issuer'}},
    [],
    'a: expiry unknown, renewed by cert-manager',
  ],
  [
    'is in a Secret',
    {secret: 'b'},
    [],
    'a: expiry unknown, from a Secret that the values name, renewed by its owner',
  ],
])('an export lists the renewal of a certificate that %s', (_, tls, made, line) => {
  const values = {global: {tls: {internal: true}}, tls}

  expect(certificateLines(certificatesOf({release: 'a', chart: CHART, values, generated: made}))).toEqual([
    line,
  ])
})

it('an export has no certificates without TLS, or for foreign charts', () => {
  const values = {global: {tls: {internal: true, secret: 'b'}}}
  const other = {...CHART, dialect: 'openstack-helm'} as DialectChart

  expect(certificatesOf({release: 'a', chart: CHART, values: {tls: {secret: 'b'}}, generated: []})).toEqual(
    [],
  )
  expect(certificatesOf({release: 'a', chart: other, values, generated: []})).toEqual([])
})

it.each(FORMATS)('LOST.md for %s lists who renews certificates, sorted by expiry', (format) => {
  const certificates = [
    {release: 'glance', ends: undefined, by: 'issuer'},
    {release: 'nova', ends: '2036-01-01', by: 'kk'},
    {release: 'horizon', ends: '2027-01-01', by: 'files'},
  ] as const

  const text = lostText(format, exportedWith({nova: {}}, {certificates}))

  const [, section] = text.split('## Warnings of expiring certificates (kk doctor), and their renewal')
  expect([...section!.matchAll(/^- (\w+): (.*)/gm)].slice(0, 3).map(([, name]) => name)).toEqual([
    'horizon',
    'nova',
    'glance',
  ])
})
