import {expect, it} from 'vitest'
import {splitCredentials} from '../../src/helm/package-url.ts'

it.each([
  ['p%2Fss', 'p/ss'],
  ['p%ss', 'p%ss'],
  ['p%ff', 'p%ff'],
  ['100%', '100%'],
])('decodes the password %s in a URL as %s', (written, password) => {
  expect(splitCredentials(`https://user:${written}@charts.example.org/stable`)).toEqual({
    address: 'https://charts.example.org/stable',
    username: 'user',
    password,
  })
})
