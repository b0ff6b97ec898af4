import {describe, expect, it} from 'vitest'
import {readStoreDocument, storeDocumentYaml} from '../../../src/overrides/user/document.ts'

describe('a store as a document', () => {
  it('is read as it was written, whatever its content', () => {
    const document = {
      identity: {id: '0e7f3a52-1111-4222-8333-444455556666', cluster: '1e5', state: 7},
      overrides: [
        {name: 'ingress', namespace: 'kube-system', overrides: {}},
        {name: 'ingress', namespace: 'openstack', overrides: {y: '08', n: [null, 1.5, {a: 'x\n\ny'}]}},
        {name: 'nova', namespace: 'true', overrides: 'kk-sealed:v1:00000000:AAAA'},
      ],
      secrets: [{name: 'oslo_db.admin', namespace: 'openstack', value: '0123: # é'}],
    }

    const text = storeDocumentYaml(document)

    expect(readStoreDocument(text, 'store.yaml')).toEqual(document)
  })

  it('that is empty is a document, too', () => {
    const nothing = {identity: undefined, overrides: [], secrets: []}

    expect(readStoreDocument(storeDocumentYaml(nothing), 'store.yaml')).toEqual(nothing)
  })

  it.each([
    ['version: 2\n', 'store.yaml: version: expected 1, got 2'],
    ['version: 1\noverides: {}\n', 'unknown key overides; did you mean overrides?'],
    ['version: 1\noverrides: {nova: {openstack: 7}}\n', 'overrides.nova.openstack: expected a map'],
    ['version: 1\noverrides: {nova: 7}\n', 'overrides.nova: expected a map'],
    ['version: 1\noverrides: {nova: {openstack: {__proto__: {}}}}\n', '__proto__'],
    [
      'version: 1\noverrides: {nova: {openstack: {password: "***"}}}\n',
      'overrides.nova.openstack: got *** for a secret',
    ],
    [
      'version: 1\noverrides: {nova: {openstack: {a: "mysql://u:***@db"}}}\n',
      'overrides.nova.openstack: got *** for a secret',
    ],
    ['version: 1\nstore: x\n', 'store: expected the UUID of a store'],
    ['version: 1\nsecrets: {openstack: {admin: 7}}\n', 'secrets.openstack.admin: expected a string'],
    ['version: 1\noverrides: {nova: {openstack: {a: 1}}, nova: {}}\n', 'store.yaml:2'],
    ['version: 1\noverrides: {heat: {openstack: {a: 1}}}\nsecrets: [}\n', 'store.yaml:3'],
    ['version: 1\n---\nversion: 1\n', 'store.yaml:3:1: expected one document'],
    ['- 1\n', 'store.yaml: the document: expected a map'],
  ])('that is invalid is refused: %j', (text, message) => {
    expect(() => readStoreDocument(text, 'store.yaml')).toThrow(
      expect.objectContaining({
        code: expect.stringMatching(/^KK_(YAML|VALUES)$/),
        message: expect.stringContaining(message),
      }),
    )
  })
})
