import {hostname} from 'node:os'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import type {Reservation} from '../../kubernetes/reservations/reservation.ts'
import {identifyProcess} from '../../state/processes/process-identity.ts'
import type {Check, Found} from '../finding.ts'

/** Finds reservations of operators who are dead: they keep anybody from removing what was to be used. */
export const reservationsCheck: Check = {
  name: 'intents',
  fine: 'no reservation is left of a run that is dead',
  async find({cluster, now, kubectl}) {
    const reservations = await cluster.diagnosis.reservations()
    const found = reservations.map(async (reservation) =>
      judgeReservation({reservation, now, isDead: await isGone(reservation.operator), kubectl}),
    )
    return (await Promise.all(found)).flat()
  },
}

interface ReservationInputs {
  readonly reservation: Reservation
  readonly now: number
  readonly isDead: boolean
  readonly kubectl: string
}

function judgeReservation({reservation, now, isDead, kubectl}: ReservationInputs): readonly Found[] {
  const {name, required, dependent, operator, deadline} = reservation
  if (!isDead && deadline > now) return []
  const why = isDead
    ? 'whose process is gone'
    : `whose deadline passed at ${new Date(deadline).toISOString()}`
  const what = `${required} counts as used by ${dependent}, which ${operator}, ${why}, was about to install; the next run of ${dependent} takes that away, too`
  return [{level: 'warning', what, advice: `${kubectl} delete configmap ${name} --namespace ${KK_NAMESPACE}`}]
}

/** Matches how runs name themselves: `user@host (process 42, run …)`. */
const HOLDER = /@(?<host>\S+) \(process (?<pid>\d+),/

/** Whether the holder was a process of this machine and is gone; false if that cannot be told from here. */
async function isGone(holder: string): Promise<boolean> {
  const {host, pid} = HOLDER.exec(holder)?.groups ?? {}
  if (host !== hostname() || pid === undefined) return false
  return !(await runs(Number(pid)))
}

/** Whether a process with this id runs; another may have got the id since, and counts: the safe error. */
async function runs(pid: number): Promise<boolean> {
  return (await identifyProcess(pid)) !== undefined
}
