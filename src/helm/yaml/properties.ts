import {type DocumentDirective, EVENT_ID, type Event, SCALAR_STYLE} from 'js-yaml'
import {type Source, yamlError} from './error.ts'

/** The start of a node, which may bear an anchor and a tag. */
export type Properties = Extract<Event, {tagStart: number}>

/** Where the node starts for a reader: at its quote, not behind it. */
export function offsetOf(event: Properties): number {
  const start = event.type === EVENT_ID.SCALAR ? event.valueStart : event.start
  if (start === -1) return Math.max(event.tagStart, event.anchorStart, 0)
  const quoted = event.type === EVENT_ID.SCALAR && isQuoted(event.style)
  return quoted ? start - 1 : start
}

function isQuoted(style: number): boolean {
  return style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED
}

/** The full name of a tag; percent escapes stay, for no tag that has a meaning here needs them. */
export function tagOf(source: Source, directives: readonly DocumentDirective[], event: Properties): string {
  if (event.tagStart === -1) return ''
  const raw = source.text.slice(event.tagStart, event.tagEnd)
  if (raw === '!') return raw
  if (raw.startsWith('!<')) return raw.slice(2, -1)
  const end = raw.indexOf('!', 1)
  const handle = end === -1 ? '!' : raw.slice(0, end + 1)
  const stated = directives.find((each) => each.kind === 'tag' && each.handle === handle)
  const standard = handle === '!!' ? 'tag:yaml.org,2002:' : handle
  const prefix = stated?.kind === 'tag' ? stated.prefix : standard
  return prefix + raw.slice(handle.length)
}

/** YAML 1.2 takes more than these characters; for Helm the name ends before the first other one. */
export function anchorName(source: Source, event: {anchorStart: number; anchorEnd: number}): string {
  const name = source.text.slice(event.anchorStart, event.anchorEnd)
  if (/^[-\w]+$/.test(name)) return name
  const message = 'expected letters, digits, - and _ as the name of an anchor'
  throw yamlError(
    source,
    event.anchorStart,
    message,
    'put a space after the name, or choose another one; a text that begins with & or * is written in quotes',
  )
}
