import {isMap} from '../../../../base/values.ts'

/** An option of an INI file. */
export interface IniOption {
  /** '' above the first section. */
  readonly section: string
  readonly name: string
  readonly value: string
}

/**
 * Returns the options of an INI file in the syntax of oslo.config, MariaDB and Ceph; none for any other
 * string.
 */
export function iniOptions(text: string): readonly IniOption[] {
  const options: IniOption[] = []
  let section = ''
  for (const line of text.split('\n')) {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#') || trimmed.startsWith(';')) continue
    if (trimmed.startsWith('[') && trimmed.endsWith(']')) {
      section = trimmed.slice(1, -1)
      continue
    }
    const at = trimmed.indexOf('=')
    const name = trimmed.slice(0, Math.max(at, 0)).trim()
    if (/^[A-Za-z][\w. -]*$/.test(name)) options.push({section, name, value: trimmed.slice(at + 1).trim()})
  }
  return options
}

/** An account that a URL names. */
export interface UrlAccount {
  readonly scheme: string
  readonly user: string
  /** The password as written, and decoded: not every program percent-encodes it. */
  readonly passwords: readonly string[]
  readonly host: string
}

/** The characters that end the authority of a URL. */
const END = /[\s"'`<>\\)/?#]/

/** Returns the accounts in the URLs of a string, one for each host: `rabbit://u:p@a:1,u:p@b:1/`. */
export function urlAccounts(text: string): readonly UrlAccount[] {
  const accounts: UrlAccount[] = []
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
    const scheme = /[a-z][a-z0-9+]{0,30}$/i.exec(text.slice(Math.max(0, at - 32), at))?.[0].toLowerCase()
    if (scheme === undefined) continue
    const authority = authorityAt(text, at + 3)
    for (const member of authority.split(',')) {
      const account = memberAccount(scheme, member)
      if (account) accounts.push(account)
    }
  }
  return accounts
}

/** The maximum length of an authority, in characters. */
const MAX_AUTHORITY_LENGTH = 4096

function authorityAt(text: string, start: number): string {
  const rest = text.slice(start, start + MAX_AUTHORITY_LENGTH)
  const end = rest.search(END)
  return end < 0 ? rest : rest.slice(0, end)
}

function memberAccount(scheme: string, member: string): UrlAccount | undefined {
  const at = member.lastIndexOf('@')
  const colon = member.indexOf(':')
  if (at < 0 || colon < 0 || colon > at) return undefined
  const password = member.slice(colon + 1, at)
  const host = member.slice(at + 1).replace(/:\d*$/, '')
  if (isTemplate(member) || password === '' || host === '') return undefined
  return {
    scheme,
    user: decodedPart(member.slice(0, colon)),
    passwords: [...new Set([password, decodedPart(password)])],
    host,
  }
}

/** Returns true if a program fills in the string: `${PASSWORD}`, `{{ .Password }}`, `%(password)s`. */
export function isTemplate(text: string): boolean {
  return /\$\{|\$\(|\{\{|\}\}|%\(|^\$\w+$|:\$\w+@|:\{\w+\}@/.test(text)
}

function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the value of a JSON string, or the value under one of its keys; undefined for any other string. */
export function jsonAt(text: string | undefined, key?: string): unknown {
  if (text === undefined) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    return key === undefined ? parsed : isMap(parsed) ? parsed[key] : undefined
  } catch {
    return undefined
  }
}

/** Returns the maps among the items of a list. */
export function maps(list: unknown): readonly object[] {
  return Array.isArray(list) ? list.filter(isMap) : []
}

/** Returns the strings among the values of a map. */
export function textsOf(map: unknown): Readonly<Record<string, string | undefined>> {
  if (!isMap(map)) return {}
  return Object.fromEntries(Object.entries(map).filter(([, value]) => typeof value === 'string')) as Record<
    string,
    string
  >
}
