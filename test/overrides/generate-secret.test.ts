import {createPrivateKey} from 'node:crypto'
import {expect, test} from 'vitest'
import {generateSecret} from '../../src/overrides/generate-secret.ts'

test('passwords are long, have every class of characters, and no special character of URLs, INI files or shells', () => {
  const passwords = Array.from({length: 500}, () => generateSecret('password'))

  for (const password of passwords) {
    expect(password).toMatch(/^[A-Za-z][A-Za-z0-9._-]{22}[A-Za-z]$/)
    for (const one of [/[A-Z]/, /[a-z]/, /[0-9]/, /[._-]/]) expect(password).toMatch(one)
    expect(encodeURIComponent(password)).toBe(password)
  }
  expect(new Set(passwords).size).toBe(500)
})

test.each([
  ['token', /^[0-9a-f]{64}$/],
  ['uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
  ['fernet', /^[A-Za-z0-9_-]{43}=$/],
  // The header of an AES key of Ceph with 16 bytes, and the key.
  ['ceph', /^AQAAAAAAAAAAABAA[A-Za-z0-9+/]{22}==$/],
] as const)('a %s looks like one, and is another each time', (kind, form) => {
  expect(generateSecret(kind)).toMatch(form)
  expect(generateSecret(kind)).not.toBe(generateSecret(kind))
})

test('an RSA key can be used', () => {
  const key = createPrivateKey(generateSecret('rsa'))

  expect(key.asymmetricKeyDetails?.modulusLength).toBe(3072)
})
