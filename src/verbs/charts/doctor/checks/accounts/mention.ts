import type {Entry, ValueLocation} from './places.ts'
import {isTemplate} from './texts.ts'

export type Realm = 'database' | 'message bus' | 'cache' | 'identity'

/** What whoever reads the place does with the account: `server` has it, `maker` creates it there, the others log in. */
export type Role = 'server' | 'maker' | 'administrator' | 'client'

/** A place where the password of an account stands. */
export interface Mention {
  readonly realm: Realm
  readonly role: Role
  readonly user: string
  /** Of keystone, as it is written. */
  readonly domain?: string | undefined
  /** Of the server, as it is written; left out where the place does not say. */
  readonly host?: string | undefined
  /** The ways in which the value may be meant. */
  readonly passwords: readonly string[]
  readonly place: ValueLocation
}

type Named = Omit<Mention, 'user' | 'passwords' | 'place'> & {readonly user: string | undefined}

/** None without a user and a password, nor where a program fills them in. */
export function mention({user, ...named}: Named, entry: Entry | undefined): readonly Mention[] {
  if (user === undefined || user === '' || entry === undefined || entry.text === '') return []
  if (isTemplate(entry.text) || isTemplate(user)) return []
  return [{...named, user, passwords: [entry.text.trim()], place: entry.place}]
}

/** `http://keystone.openstack.svc:5000/v3` */
export function hostOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : /^\w+:\/\/(?:[^/@]*@)?([^/:?]+)/.exec(url)?.[1]
}
