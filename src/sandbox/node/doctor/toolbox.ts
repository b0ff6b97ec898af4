import {asKkError} from '../../../errors.ts'
import {nodeTools} from '../tools.ts'
import type {Finding} from './finding.ts'

export function checkToolbox(env: Readonly<Record<string, string | undefined>>): Finding {
  try {
    nodeTools(env)
    return {
      check: 'toolbox',
      level: 'ok',
      what: 'Kubernetes, etcd, CoreDNS and the helpers of the node are built',
    }
  } catch (error) {
    const {message, hint} = asKkError(error)
    return {check: 'toolbox', level: 'problem', what: message, ...(hint && {advice: hint})}
  }
}
