import {expect, it} from 'vitest'
import {parseReference} from '../../../src/images/registry/reference.ts'

const DIGEST = `sha256:${'0'.repeat(64)}`

it.each([
  ['mariadb', 'docker.io', 'library/mariadb', 'latest', undefined],
  ['openstackhelm/keystone:2025.1', 'docker.io', 'openstackhelm/keystone', '2025.1', undefined],
  ['docker.io/alpine:3', 'docker.io', 'library/alpine', '3', undefined],
  ['quay.io/airshipit/keystone:a_b-c.d', 'quay.io', 'airshipit/keystone', 'a_b-c.d', undefined],
  ['localhost/kk/keystone:1', 'localhost', 'kk/keystone', '1', undefined],
  ['localhost:5010/kk/keystone:1', 'localhost:5010', 'kk/keystone', '1', undefined],
  [`127.0.0.1:5000/kk@${DIGEST}`, '127.0.0.1:5000', 'kk', undefined, DIGEST],
  [`registry.example.org/a/b/c:1@${DIGEST}`, 'registry.example.org', 'a/b/c', '1', DIGEST],
])('the image %s has the repository %s', (text, host, repository, tag, digest) => {
  expect(parseReference(text)).toEqual({text, host, repository, tag, digest})
})

it.each(['', 'Keystone:1', 'https://quay.io/a:1', 'a b', 'quay.io/', 'a@sha256:0', 'a:b:c/d', '../a:1'])(
  '%j is not an image reference',
  (text) => {
    expect(() => parseReference(text)).toThrow(expect.objectContaining({code: 'KK_IMAGE'}))
  },
)
