import {type Shape, spread} from '../plan/large-plan.ts'

/** Graphs that may be hard for a scheduler, by name, each with the requested number of releases. */
export const SHAPES = {
  'four requirements each': (releases) => ({releases, requiredBy: spread}),
  'wide: one, then all others at once': (releases) => ({
    releases,
    requiredBy: (index) => (index === 0 ? [] : [0]),
  }),
  'deep: one after the other': (releases) => ({
    releases,
    requiredBy: (index) => (index === 0 ? [] : [index - 1]),
  }),
} satisfies Record<string, (releases: number) => Shape>

export type ShapeName = keyof typeof SHAPES
