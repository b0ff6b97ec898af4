import {describe, expect, it} from 'vitest'
import {expectFlagsTakeEffect} from '../../../src/plan/make-plan.ts'
import type {PlanMode} from '../../../src/plan/scope.ts'
import {id} from '../../graph/graph-of.ts'
import {desiredOf, type Wanted} from '../fixtures.ts'

const NAMED: PlanMode = {kind: 'named', releases: [id('keystone')], install: false}
const SET: Wanted = {layers: {section: {a: 1}, set: {a: 2}}}

/** A plan that may change keystone, and uses mariadb; `given` are the values of each. */
function check(given: Readonly<Record<string, Wanted>>, mode: PlanMode): void {
  const desired = Object.entries(given).map(([name, wanted]) => [id(name), desiredOf(name, wanted)] as const)
  const selected = new Map([[id('mariadb'), 'use'] as const, [id('keystone'), 'change'] as const])
  expectFlagsTakeEffect({desired: new Map(desired), mode, selected})
}

describe('values of --values and --set', () => {
  it('are accepted for a release that may change', () => {
    expect(() =>
      check({keystone: SET, mariadb: {layers: {section: {a: 1}}}, glance: {}}, NAMED),
    ).not.toThrow()
  })

  it.each<{what: string; given: Readonly<Record<string, Wanted>>; names: string}>([
    {what: 'a release that is not named', given: {glance: SET}, names: 'glance'},
    {what: 'one that is only required', given: {mariadb: {layers: {values: {a: 1}}}}, names: 'mariadb'},
    {what: 'several', given: {glance: SET, mariadb: SET}, names: 'glance, mariadb'},
  ])('are refused for $what', ({given, names}) => {
    expect(() => check(given, NAMED)).toThrow(
      expect.objectContaining({
        code: 'KK_USAGE',
        message: `--values or --set is for ${names}, but only keystone may be changed`,
        hint: expect.stringContaining(`(keystone ${names.replace(',', '')})`),
      }),
    )
  })

  it('are refused for a release that is not installed if the verb does not install', () => {
    expect(() => check({glance: SET}, {kind: 'installed'})).toThrow(
      expect.objectContaining({
        code: 'KK_USAGE',
        message: '--values or --set is for glance, which is not installed',
        hint: 'omit it, or install it with: kk deploy',
      }),
    )
  })
})
