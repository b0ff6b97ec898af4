import {expect, it} from 'vitest'
import {compareVersions, isExactVersion, isVersion, satisfiesConstraint} from '../../src/charts/version.ts'

it.each([
  ['1.2.3', '1.2.3', true],
  ['1.2.3', '=1.2.3', true],
  ['1.2.4', '1.2.3', false],
  ['1.9.0', '^1.2', true],
  ['2.0.0', '^1.2', false],
  ['1.2.9', '~1.2.3', true],
  ['1.3.0', '~1.2.3', false],
  ['1.3.7', '1.3.x', true],
  ['1.4.0', '1.x', true],
  ['0.1.0', '>= 0.1.0', true],
  ['1.5.0', '>= 1.2, < 2', true],
  ['2.0.0', '>= 1.2, < 2', false],
  ['1.5.0', '>=1 !=1.5.0', false],
  ['1.5.1', '>=1, !=1.5.0', true],
  ['3.0.0', '^1 || ^3', true],
  ['1.3.0', '1.2 - 1.4', true],
  ['1.0.0-rc.1', '^1', false],
  ['1.0.0-rc.1', '>=0.9.0-0', true],
  ['2025.1', '>=2025', true],
  ['v1.2.3', '^1', true],
  ['1.2.3', 'newest', false],
])('version %s and constraint %s: %s', (version, constraint, satisfied) => {
  expect(satisfiesConstraint(version, constraint)).toBe(satisfied)
})

it.each([
  ['1.2.3', true, true],
  ['1.2', true, false],
  ['^1.2.3', false, false],
  ['1.x', false, false],
  ['latest', false, false],
])('%s is a version: %s, and an exact one: %s', (text, version, exact) => {
  expect(isVersion(text)).toBe(version)
  expect(isExactVersion(text)).toBe(exact)
})

it('orders versions by their numbers', () => {
  expect(['0.10.0', '0.9.0', '1.0.0-rc.1', '1.0.0'].sort(compareVersions)).toEqual([
    '0.9.0',
    '0.10.0',
    '1.0.0-rc.1',
    '1.0.0',
  ])
})
