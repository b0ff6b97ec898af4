import type {Values} from '../../../release.ts'
import {given} from './compose.ts'

/** One of each component per controller. */
export function replicas(controllers: number | undefined, components: readonly string[]): Values | undefined {
  return given(controllers, (count) => replicasOf(count, components))
}

/** A component whose members vote. */
export function voters(
  controllers: number | undefined,
  component: string,
  count: (controllers: number) => number,
): Values | undefined {
  return given(controllers, (known) => replicasOf(count(known), [component]))
}

/** Members of the message bus: a majority must remain, so one more than an odd number would help nobody. */
export function busSize(controllers: number): number {
  return largestOdd(Math.min(controllers, 5))
}

/** Members of the database: each waits for all others at every write, so there are never more than three. */
export function databaseSize(controllers: number): number {
  return largestOdd(Math.min(controllers, 3))
}

/** A fixed number of a component, once anything is known of the cloud's size. */
export function fixed(controllers: number | undefined, component: string, count: number): Values | undefined {
  return given(controllers, () => replicasOf(count, [component]))
}

function largestOdd(count: number): number {
  return Math.max(1, count % 2 === 0 ? count - 1 : count)
}

function replicasOf(count: number, components: readonly string[]): Values {
  return {pod: {replicas: Object.fromEntries(components.map((component) => [component, count]))}}
}
