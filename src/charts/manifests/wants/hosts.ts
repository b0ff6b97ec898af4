import {wordDigest} from '../../../graph/inference/word-digest.ts'
import {textsIn, textsOf} from '../texts.ts'
import type {StatedWant, Waiting} from './stated-want.ts'

const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?'
/** A host, perhaps with the namespace, wherever a text must mean one. */
const PLACES = [
  // name.namespace.svc
  new RegExp(`(?<![\\w.-])(${LABEL}\\.${LABEL})\\.svc\\b`, 'g'),
  // ://name:1, ://user:password@name/, ,user:password@name:1
  new RegExp(`(?::\\/\\/|@)(${LABEL}(?:\\.${LABEL})?)(?=[:/,?]|$)(?!:[^/\\s@]*@)`, 'gm'),
  // server: name, DB_HOST="name"
  new RegExp(
    `(?:host|hostname|hosts|servers?|addr|address|endpoint|url)["']?\\s*[:=]\\s*["']?(${LABEL}(?:\\.${LABEL})?)(?=["'\\s:,;]|$)`,
    'gim',
  ),
]
/** A name with a port: a host if it is a port of that Service. */
const WITH_PORT = new RegExp(`(?<![\\w.-])(${LABEL}(?:\\.${LABEL})?:\\d{1,5})(?!\\d)`, 'g')

/** Words of a program that waits, and how it is told a host. */
const WAITS = /\b(?:nc|curl|wget|pg_isready|mysqladmin|redis-cli|until|wait)\b/
const TOLD = [new RegExp(`(?:\\s-[hH]|--host)[\\s=]+["']?(${LABEL}(?:\\.${LABEL})?)(?=["'\\s:,;]|$)`, 'gm')]
const SPACED_PORT = new RegExp(`(?<![\\w.-])(${LABEL}(?:\\.${LABEL})?)\\s+(\\d{2,5})(?!\\d)`, 'g')

/** Words that stand where a host does: `ready` if an init container waits for it by a command, else `soft`. */
export function hostWants({object, waiter, containers}: Waiting): readonly StatedWant[] {
  const awaited = new Map<string, string>()
  for (const {container, title, isInit} of containers) {
    if (!isInit || waiter === 'cron') continue
    const text = textsIn(container).join('\n')
    if (WAITS.test(text)) for (const host of [...hostsIn(text), ...toldHosts(text)]) awaited.set(host, title)
  }
  const mentioned = new Set<string>()
  for (const text of textsOf(object)) for (const host of hostsIn(text)) mentioned.add(host)

  const ready = [...awaited].map(([host, title]) => want(host, 'ready', `${title} waits in a script for`))
  const soft = [...mentioned]
    .filter((host) => !awaited.has(host))
    .map((host) => want(host, 'soft', 'mentions'))
  return [...ready, ...soft]
}

/** The name of the Service is put behind the text by who finds it. */
function want(host: string, kind: StatedWant['kind'], text: string): StatedWant {
  return {kind, target: {what: 'host', digest: wordDigest(host)}, text}
}

function* hostsIn(text: string): Generator<string> {
  for (const place of PLACES) for (const [, host] of text.matchAll(place)) yield host!
  for (const [, host] of text.matchAll(WITH_PORT)) yield host!
}

function* toldHosts(text: string): Generator<string> {
  for (const place of TOLD) for (const [, host] of text.matchAll(place)) yield host!
  for (const [, host, port] of text.matchAll(SPACED_PORT)) yield `${host}:${port}`
}
