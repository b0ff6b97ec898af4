import {wordDigest} from '../../../graph/inference/word-digest.ts'
import {textIn} from '../texts.ts'
import type {StatedWant, Waiting} from './stated-want.ts'

const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?'
/** A Service, perhaps with its namespace. */
const HOST = `${LABEL}(?:\\.${LABEL})?`

/** Where a text must mean a host; `sign` is in every text that can match, and is found much faster. */
const PLACES = [
  // name.namespace.svc
  {sign: /\.svc\b/, host: new RegExp(`(?<![\\w.-])(${LABEL}\\.${LABEL})\\.svc\\b`, 'g')},
  // ://name:1, ://user:password@name/, ,user:password@name:1
  {sign: /\/\/|@/, host: new RegExp(`(?::\\/\\/|@)(${HOST})(?=[:/,?]|$)(?!:[^/\\s@]*@)`, 'gm')},
  // server: name, DB_HOST="name"
  {
    sign: /host|server|addr|endpoint|url/i,
    host: new RegExp(
      `(?:host|hostname|hosts|servers?|addr|address|endpoint|url)["']?[ \\t]*[:=][ \\t]*["']?(${HOST})(?=["'\\s:,;]|$)`,
      'gim',
    ),
  },
  // A name with a port: a host if it is a port of that Service.
  {sign: /:\d/, host: new RegExp(`(?<![\\w.-])(${HOST}:\\d{1,5})(?!\\d)`, 'g')},
]

/** Words of a program that waits, and how it is told a host. */
const WAITS = /\b(?:nc|curl|wget|pg_isready|mysqladmin|redis-cli|until|wait)\b/
const TOLD = new RegExp(`(?:\\s-[hH]|--host)[\\s=]+["']?(${HOST})(?=["'\\s:,;]|$)`, 'gm')
const SPACED_PORT = new RegExp(`(?<![\\w.-])(${HOST})\\s+(\\d{2,5})(?!\\d)`, 'g')

/** Words that stand where a host does: `ready` if an init container waits for it by a command, else `soft`. */
export function hostWants({text, waiter, containers}: Waiting): readonly StatedWant[] {
  const awaited = new Map<string, string>()
  for (const {container, title, isInit} of containers) {
    if (!isInit || waiter === 'cron') continue
    const own = textIn(container)
    if (WAITS.test(own)) for (const host of [...hostsIn(own), ...toldHosts(own)]) awaited.set(host, title)
  }
  const ready = [...awaited].map(([host, title]) => want(host, 'ready', `${title} waits in a script for`))
  const soft = [...new Set(hostsIn(text))]
    .filter((host) => !awaited.has(host))
    .map((host) => want(host, 'soft', 'mentions'))
  return [...ready, ...soft]
}

/** The name of the Service is put behind the text by who finds it. */
function want(host: string, kind: StatedWant['kind'], text: string): StatedWant {
  return {kind, target: {what: 'host', digest: wordDigest(host)}, text}
}

function hostsIn(text: string): readonly string[] {
  const found: string[] = []
  for (const {sign, host} of PLACES) {
    if (!sign.test(text)) continue
    for (const [, name] of text.matchAll(host)) found.push(name!)
  }
  return found
}

function toldHosts(text: string): readonly string[] {
  const named = Array.from(text.matchAll(TOLD), ([, host]) => host!)
  const withPort = Array.from(text.matchAll(SPACED_PORT), ([, host, port]) => `${host}:${port}`)
  return [...named, ...withPort]
}
