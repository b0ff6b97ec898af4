import {releaseNamespace} from '../../../../release.ts'
import type {Check, Found} from '../finding.ts'

/** Helm passes over records that it cannot read, as if their releases did not exist; kk takes them for users of everything. */
export const recordsCheck: Check = {
  name: 'records',
  needs: 'cluster',
  fine: 'every record of helm can be read',
  async find({everyRecord, readRecords, kubectl}) {
    const {strays} = await everyRecord()
    const unreadable = (await readRecords()).flatMap((each) =>
      'unreadable' in each ? [`${releaseNamespace(each.record.release)}/${each.record.secret.name}`] : [],
    )
    return judgeRecords({strays, unreadable, kubectl})
  },
}

interface Records {
  /** `namespace/name` of Secrets. */
  readonly strays: readonly string[]
  readonly unreadable: readonly string[]
  readonly kubectl: string
}

export function judgeRecords({strays, unreadable, kubectl}: Records): readonly Found[] {
  const finding = (secret: string, why: string): Found => {
    const [namespace, name] = secret.split('/')
    const what = `the Secret ${secret} ${why}: helm passes over it, and kk refuses to remove anything, for it may use anything. Restore it from a backup, or, if nothing of it is wanted any more, delete it`
    return {level: 'problem', what, advice: `${kubectl} delete secret ${name} --namespace ${namespace}`}
  }
  return [
    ...strays.map((secret) => finding(secret, 'has the type of a record of helm, but tells of no release')),
    ...unreadable.map((secret) => finding(secret, 'is a record of helm that cannot be decoded')),
  ]
}
