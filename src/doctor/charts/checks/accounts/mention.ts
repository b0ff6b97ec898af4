import type {Entry, ValueLocation} from './places.ts'
import {isTemplate} from './texts.ts'

export type Realm = 'database' | 'message bus' | 'cache' | 'identity'

/** How a mention uses the account: `server` stores it, `maker` creates it, the others log in with it. */
export type Role = 'server' | 'maker' | 'administrator' | 'client'

/** A place that contains the password of an account. */
export interface Mention {
  readonly realm: Realm
  readonly role: Role
  readonly user: string
  /** The domain of a keystone account, as written. */
  readonly domain?: string | undefined
  /** The host of the server, as written; undefined if the place does not name it. */
  readonly host?: string | undefined
  /** The passwords that the value can stand for. */
  readonly passwords: readonly string[]
  readonly place: ValueLocation
}

type MentionParts = Omit<Mention, 'user' | 'passwords' | 'place'> & {readonly user: string | undefined}

/** Returns one mention; none if user or password is missing, empty, or a template that a program fills in. */
export function mention({user, ...named}: MentionParts, entry: Entry | undefined): readonly Mention[] {
  if (user === undefined || user === '' || entry === undefined || entry.text === '') return []
  if (isTemplate(entry.text) || isTemplate(user)) return []
  return [{...named, user, passwords: osloInterpretations(entry.text.trim()), place: entry.place}]
}

/** Returns a value as written, and as oslo.config reads it: `$$` is a dollar sign, and `$` begins a name. */
export function osloInterpretations(text: string): readonly string[] {
  return text.includes('$$') ? [text, text.replaceAll('$$', '$')] : [text]
}

/** Returns the host of a URL such as `http://keystone.openstack.svc:5000/v3`. */
export function hostOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : /^\w+:\/\/(?:[^/@]*@)?([^/:?]+)/.exec(url)?.[1]
}
