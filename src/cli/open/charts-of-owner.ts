import {asKkError} from '../../errors.ts'
import type {Prepared} from '../../verbs/preparation/prepare.ts'
import {prepareEnvironment} from '../open.ts'
import type {Owner} from './owner.ts'

/**
 * The environment's charts, for what their `crds/` hold; undefined where there is no file, or where its charts cannot be
 * had: the cluster can be looked at all the same.
 */
export async function chartsOfOwner(
  {environment}: Owner,
  flags: {readonly helm?: string | undefined},
  say: (text: string) => void,
): Promise<Prepared | undefined> {
  if (!environment) return undefined
  try {
    return await prepareEnvironment(environment, flags)
  } catch (error) {
    say(`crds/ of the charts are not looked at, only those of the records: ${asKkError(error).message}`)
    return undefined
  }
}
