import type {PartVersions, Versions} from '../../audit/versions.ts'
import type {Palette} from '../colour.ts'
import {table} from '../table.ts'
import {counted} from '../text/list.ts'
import {plainLine} from '../text/plain.ts'
import type {View} from '../text/view.ts'

/**
 * Returns one row for each part, one for all images of a release with the same tag, and below a part with
 * several versions what has which.
 */
export function versionsText({parts, notAsked}: Versions, palette: Palette): View {
  const rows = [
    ...imageRows(parts.filter(({kind}) => kind === 'image')),
    ...parts.filter(({kind}) => kind !== 'image').map(row),
  ]
  const columns = {
    PART: ({title}: Row) => title,
    VERSION: ({versions}: Row) =>
      versions.length > 1 ? palette.change(`${versions.length} versions`) : plainLine(versions[0]!.version),
  }
  const below = ({versions}: Row) => (versions.length > 1 ? versions.map(versionLine) : [])
  return [
    table(rows, columns, {headColour: palette.strong, below}),
    '',
    ...notAsked.map(({source, reason}) => palette.change(`not asked: ${source}: ${plainLine(reason)}`)),
    verdict({parts, notAsked}, palette),
  ]
}

function verdict({parts, notAsked}: Versions, palette: Palette): string {
  const differing = parts.filter(isDiffering).length
  if (parts.length === 0) return palette.change('no versions were found')
  if (differing === 0 && notAsked.length === 0)
    return palette.good(`one version runs of each of ${counted(parts.length, 'part')}`)
  const asked = notAsked.length > 0 ? ' that could be asked' : ''
  return palette.change(`several versions run of ${differing} of ${counted(parts.length, 'part')}${asked}`)
}

interface Row {
  readonly title: string
  readonly versions: PartVersions['versions']
}

function isDiffering({versions}: PartVersions): boolean {
  return versions.length > 1
}

const TITLES: Readonly<Record<PartVersions['kind'], (name: string) => string>> = {
  image: (name) => `image of ${name}`,
  schema: (name) => `schema of ${name}`,
  service: (name) => name,
  'feature flags': (name) => `feature flags of ${name}`,
  northd: () => 'OVN northd',
  QEMU: () => 'QEMU',
}

function row({kind, name, versions}: PartVersions): Row {
  return {title: TITLES[kind](name), versions}
}

/** One row for a release whose images all have the same tag; else one for each. */
function imageRows(images: readonly PartVersions[]): readonly Row[] {
  const byRelease = Map.groupBy(images, ({name}) => name.split('/')[0]!)
  return [...byRelease].flatMap(([release, all]) => {
    const tags = new Set(all.flatMap(({versions}) => versions.map(({version}) => tagOf(version))))
    const [tag = ''] = tags
    if (tags.size > 1 || all.some(isDiffering)) return all.map(row)
    return [{title: `images of ${release}`, versions: [{version: tag, of: []}]}]
  })
}

/** The tag or the digest of an image: what follows its name. */
function tagOf(image: string): string {
  return image.slice(image.lastIndexOf('/') + 1).replace(/^[^:@]*[:@]/, '')
}

/** How many holders of a version are named. */
const NAMED = 5

function versionLine({version, of}: PartVersions['versions'][number]): string {
  const more = of.length > NAMED ? [`${of.length - NAMED} more`] : []
  return plainLine(`  ${version}: ${[...of.slice(0, NAMED), ...more].join(', ')}`)
}
