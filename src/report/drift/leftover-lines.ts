import type {KeepReason} from '../../plan/leftovers/ownership.ts'
import type {Leftover} from '../../verbs/observation/leftovers.ts'
import type {Palette} from '../colour.ts'

/** Why an object is never pruned, in words. */
export const KEPT = {
  data: 'it holds data',
  policy: 'helm.sh/resource-policy: keep',
  namespace: 'everything in it would go',
  crd: 'every object of its kind would go',
} as const satisfies Record<KeepReason, string>

/** Objects that helm has forgotten, one a line, with who made them and which of them always stay. */
export function leftoverLines(leftovers: readonly Leftover[], palette: Palette): readonly string[] {
  if (leftovers.length === 0) return []
  return [
    '  left over from a failed revision, and forgotten by helm:',
    ...leftovers.map(({kind, name, revision, kept}) => {
      const stays = kept === undefined ? '' : `, stays: ${KEPT[kept]}`
      return `  ${palette.change('!')} ${kind}/${name} ${palette.quiet(`of revision ${revision}${stays}`)}`
    }),
  ]
}
