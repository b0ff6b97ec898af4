import {expect, it} from 'vitest'
import {factsOfEnvironment} from '../../../src/overrides/facts/from-environment.ts'

it.each([
  [undefined, {}],
  [{region: 'north'}, {region: 'north'}],
  [{endpoints: {cluster_domain_suffix: 'a.local'}}, {dnsDomain: 'a.local'}],
  [{cluster_domain_suffix: 'b.local'}, {dnsDomain: 'b.local'}],
  [{storage: {ephemeral: true}}, {storage: 'ephemeral'}],
  [{storage: {ephemeral: false}}, {storage: 'class'}],
  [{storage: 'ephemeral'}, {storage: 'ephemeral'}],
  [{storage: 'persistent'}, {storage: 'class'}],
  [{storage: {class: 'fast'}}, {storage: 'class', defaultStorageClass: 'fast'}],
  [{pod: {replicas: 2}}, {controllers: 2}],
  [{pod: {replicas: {api: 2}}}, {}],
  [{pod: {replicas: 0}}, {}],
  [{region: '', storage: 'pvc', endpoints: null}, {}],
])('the global section %j yields the facts %j', (global, facts) => {
  expect(factsOfEnvironment({global})).toEqual(facts)
})
