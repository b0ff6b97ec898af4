import {unreadPaths} from '../../../../overrides/system/reads.ts'
import {releaseName} from '../../../../release.ts'
import type {Prepared} from '../../../preparation/prepare.ts'
import type {ChartFault} from '../chart-fault.ts'

/** What system overrides say and no chart reads: a setting that was meant to have an effect, and has none. */
export function unreadOverrides({
  releases,
  plugins,
}: Pick<Prepared, 'releases' | 'plugins'>): readonly ChartFault[] {
  return [...releases].flatMap(([release, {chart, layers}]): readonly ChartFault[] => {
    const spoken = plugins.spoken(chart)
    const system = layers.filter(({name}) => name === 'system')
    if (spoken.dialect === undefined || system.length === 0) return []
    const unread = system.flatMap(({values}) => unreadPaths(spoken, values)).map((path) => path.join('.'))
    if (unread.length === 0) return []
    const what = `system overrides write what ${releaseName(release)} does not read: ${unread.join(', ')}`
    return [{check: 'overrides', level: 'info', release, what}]
  })
}
