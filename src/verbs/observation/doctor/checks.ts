import {apiVersionsCheck} from './cluster/api-versions.ts'
import {clockCheck} from './cluster/clock.ts'
import {kkSystemCheck} from './cluster/kk-system.ts'
import {namespacesCheck} from './cluster/namespaces.ts'
import {permissionsCheck} from './cluster/permissions.ts'
import {clusterCheck} from './cluster/reachable.ts'
import {schedulingCheck} from './cluster/scheduling.ts'
import {storageClassCheck} from './cluster/storage-class.ts'
import type {Check} from './finding.ts'
import {approvalsCheck} from './leftovers/approvals.ts'
import {claimsCheck} from './leftovers/claims.ts'
import {forgottenCheck} from './leftovers/forgotten.ts'
import {hookJobsCheck} from './leftovers/hook-jobs.ts'
import {intentsCheck} from './leftovers/intents.ts'
import {leasesCheck} from './leftovers/leases.ts'
import {runsCheck} from './leftovers/runs.ts'
import {helmCheck} from './local/helm.ts'
import {stateDirectoryCheck} from './local/state-directory.ts'
import {pendingCheck} from './records/pending.ts'
import {recordsCheck} from './records/readable.ts'
import {recordSizeCheck} from './records/size.ts'

/** All checks, in the order in which they are shown. */
export const CHECKS: readonly Check[] = [
  helmCheck,
  stateDirectoryCheck,
  clusterCheck,
  clockCheck,
  permissionsCheck,
  kkSystemCheck,
  namespacesCheck,
  storageClassCheck,
  schedulingCheck,
  apiVersionsCheck,
  recordsCheck,
  recordSizeCheck,
  pendingCheck,
  leasesCheck,
  intentsCheck,
  runsCheck,
  hookJobsCheck,
  claimsCheck,
  forgottenCheck,
  approvalsCheck,
]
