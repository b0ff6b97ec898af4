import {type Edge, isInferred} from '../../graph/graph.ts'
import type {Evidence, ReleaseId} from '../../release.ts'
import type {Palette} from '../colour.ts'
import {releaseLabels} from '../text/label.ts'
import type {View} from '../text/view.ts'

/**
 * Returns why one release needs another: each step of the path with its evidence. `path` is undefined when it
 * does not need it.
 */
export function whyText(
  question: {readonly from: ReleaseId; readonly to: ReleaseId; readonly path: readonly Edge[] | undefined},
  palette: Palette,
): View {
  const {from, to, path} = question
  const labels = releaseLabels([from, to, ...(path ?? []).flatMap((edge) => [edge.from, edge.to])])
  if (path === undefined) return `${labels(from)} does not need ${labels(to)}\n`
  return path.flatMap((edge) => {
    const marks = [
      ...(edge.kind === 'applied' && !edge.soft ? ['applied'] : []),
      ...(isInferred(edge) ? ['inferred'] : []),
      ...(edge.soft ? ['order only'] : []),
    ]
    const kind = marks.length === 0 ? '' : ` (${marks.join(', ')})`
    return [
      `${palette.strong(labels(edge.from))} requires ${palette.strong(labels(edge.to))}${kind}`,
      ...edge.evidence.map((evidence) => `  ${palette.accent(placeText(evidence))}  ${evidence.text}`),
    ]
  })
}

function placeText({file, line}: Evidence): string {
  return line === undefined ? file : `${file}:${line}`
}
