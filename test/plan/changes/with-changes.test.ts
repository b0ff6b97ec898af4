import {expect, it} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {droppedSets} from '../../../src/plan/changes/changes-of.ts'
import {withDroppedSets} from '../../../src/plan/changes/with-changes.ts'
import {DROPPED_FLAG_REASONS} from '../../../src/plan/decision/reasons.ts'
import type {Action} from '../../../src/plan/plan.ts'
import {id} from '../../graph/graph-of.ts'
import {planOf} from '../../run/plan-of.ts'
import {desiredOf, recordOf} from '../fixtures.ts'

const section = {replicas: 1}
const set = {conf: {debug: true}, replicas: 2}

/** The reasons of a plan for keystone with these layers, whose last deploy had `--set`. */
function reasonsFor(layers: Readonly<Record<string, Values>>, values: Values): readonly string[] {
  const last = {...recordOf(desiredOf('keystone', {layers: {section, set}})), values: set}
  const paths = droppedSets({desired: desiredOf('keystone', {layers}), values}, last)
  const plan = planOf({keystone: []}, {keystone: 'upgrade'})
  const actions = plan.actions.map(
    (action) => ({...action, reasons: [DROPPED_FLAG_REASONS.set]}) as Action<'upgrade'>,
  )
  return withDroppedSets({...plan, actions}, new Map([[id('keystone'), paths]])).actions[0]!.reasons
}

it('values that are no longer set are named', () => {
  expect(reasonsFor({section}, section)).toEqual(['no longer set: conf.debug, replicas'])
})

it('values that are no longer set are not named if others changed, too', () => {
  const other = {replicas: 3, name: 'a'}

  expect(reasonsFor({section: other}, other)).toEqual([DROPPED_FLAG_REASONS.set])
})
