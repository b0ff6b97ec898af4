import {expect, test} from 'vitest'
import {ingressProblems} from '../../../src/prepare/settings/ingress-problems.ts'
import {preparedOf} from '../../verbs/secrets/environments.ts'

const SHARED = 'the Ingresses of keystone have their certificate from the Secret ingress-tls'

const problemsOf = async (global: object, sections: Readonly<Record<string, object>> = {}) =>
  ingressProblems(await preparedOf({global, mariadb: {}, keystone: {}, ...sections}, {})).map(
    ({what}) => what,
  )

const INGRESS = {enabled: true, class: 'nginx', domain: 'example.org'}

test('Ingresses whose Secret no release creates are a warning', async () => {
  expect(await problemsOf({ingress: INGRESS})).toEqual([expect.stringContaining(SHARED)])
  expect(await problemsOf({ingress: INGRESS}, {ingress: {}})).toEqual([expect.stringContaining(SHARED)])
})

test.each<[string, object, Readonly<Record<string, object>>?]>([
  ['no Ingress is asked for', {tls: {public: true}}],
  ['kk issues the certificate of each release', {ingress: INGRESS, tls: {public: true}}],
  ['an issuer signs it', {ingress: INGRESS, tls: {public: true, issuer: {name: 'cloud'}}}],
  ['kk’s own controller has one', {ingress: INGRESS, tls: {public: true}}, {ingress: {}}],
  ['the deployer creates it', {ingress: {...INGRESS, tls_secret: 'wildcard'}}],
  ['the Gateway has it', {ingress: {...INGRESS, gateway: 'cloud'}}],
  [
    'an annotation requests it',
    {ingress: {...INGRESS, annotations: {'cert-manager.io/cluster-issuer': 'cloud'}}},
  ],
])('there is no warning if %s', async (_, global, sections) => {
  expect(await problemsOf(global, sections)).toEqual([])
})
