import {join} from 'node:path'
import {expect, it} from 'vitest'
import type {Imported} from '../../src/exchange/imported.ts'
import {importNodeGroups} from '../../src/verbs/import-node-groups.ts'

const ROOT = join(import.meta.dirname, '../..')
const labels = [{label: {key: 'pinned', values: ['enabled']}, conf: {nova: {}}}]
const VALUES = {conf: {overrides: {nova_compute: {labels}}}}
const GROUPS = {node_groups: {pinned: {selector: {pinned: 'enabled'}, conf: {nova: {}}}}}

it.each<[string, Imported['charts'], object]>([
  ["become groups for kk's charts, which need no source", [], GROUPS],
  ["become groups for kk's charts in a directory", ['charts'], GROUPS],
  ["become groups for kk's charts by their word", ['built-in'], GROUPS],
  ["stay for openstack-helm's charts", ['test/fixtures/openstack-helm', 'charts'], VALUES],
  ['stay for charts of a registry', [{oci: 'oci://registry.example.org/charts'}], VALUES],
])('overrides of openstack-helm %s', (_, charts, values) => {
  const release = {
    name: 'nova',
    namespace: 'openstack',
    chart: {name: 'nova'},
    values: VALUES,
    requires: [],
    notes: [],
  }

  const {releases} = importNodeGroups(
    {name: 'imported', from: 'the cluster', charts, releases: [release], lost: []},
    ROOT,
  )

  expect(releases).toEqual([{...release, values}])
})
