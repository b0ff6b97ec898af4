import {expect, it} from 'vitest'
import {redactSecretsOf} from '../../src/redact/objects.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

const objects = [
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {name: 'a'},
    data: {x: base64('hunter2-in-data')},
    stringData: {y: 'hunter2-in-text', max_y: {z: ['hunter2-inside']}},
  },
  {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'b'}, data: {z: 'everybody-may-see'}},
]

it.each([
  ['as it is', 'login with hunter2-in-text failed', 'login with *** failed'],
  ['inside what should be a text', 'got map[z:[hunter2-inside]]', 'got map[z:[***]]'],
  ['decoded', 'login with hunter2-in-data failed', 'login with *** failed'],
  ['as base64', `got ${base64('hunter2-in-data')} and ${base64('hunter2-in-text')}`, 'got *** and ***'],
  ['not when it is of a ConfigMap', 'everybody-may-see', 'everybody-may-see'],
])('masks the content of a Secret %s', (_, text, expected) => {
  expect(redactSecretsOf(objects)(text)).toBe(expected)
})

const cinder = [
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {name: 'cinder-keystone-user', namespace: 'openstack'},
    data: {
      OS_USERNAME: base64('cinder'),
      OS_PROJECT_NAME: base64('service'),
      OS_REGION_NAME: base64('RegionOne'),
      OS_PASSWORD: base64('sunshine'),
      OS_OTHER_PASSWORD: base64('cinder-cleaner'),
    },
    stringData: {a: 'default', b: 'cleaner', c: 'moonlight'},
  },
  {apiVersion: 'batch/v1', kind: 'CronJob', metadata: {name: 'cinder-service-cleaner'}},
]

it.each([
  'CronJob "cinder-service-cleaner" is invalid',
  'no default in RegionOne of openstack',
  `of ${base64('service')}`,
])('does not mask names of objects that a Secret contains: %s', (text) => {
  expect(redactSecretsOf(cinder)(text)).toBe(text)
})

it.each([
  ['a word under the key of a password', 'no sunshine, no cinder-cleaner', 'no ***, no ***'],
  ['a word that names nothing', 'no moonlight', 'no ***'],
])('masks other content of a Secret: %s', (_, text, masked) => {
  expect(redactSecretsOf(cinder)(text)).toBe(masked)
})
