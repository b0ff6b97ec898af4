import {isApiError} from '../../../cluster/api/api-error.ts'
import type {Cluster} from '../../../cluster/cluster.ts'
import {asKkError} from '../../../errors.ts'
import type {Finding} from './finding.ts'

export type Reached = {readonly cluster: Cluster} | {readonly cluster: undefined; readonly trouble: Finding}

/** The cluster, if it answers and knows who asks; else what is wrong. Whoever may do little has reached it all the same. */
export async function reach(open: () => Promise<Cluster>): Promise<Reached> {
  let cluster: Cluster | undefined
  try {
    cluster = await open()
    await cluster.identity()
    return {cluster}
  } catch (error) {
    const {code, message, hint} = asKkError(error)
    if (code === 'KK_BUG') throw error
    if (cluster && code === 'KK_FORBIDDEN' && !isApiError(error, 401)) return {cluster}
    await cluster?.close()
    const advice = hint === undefined ? {} : {advice: hint}
    return {cluster: undefined, trouble: {check: 'cluster', level: 'problem', what: message, ...advice}}
  }
}
