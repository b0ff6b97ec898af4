import type {Bus} from '../facts.ts'
import type {Finding, FindingKind, Place, Repair} from '../finding.ts'
import {on, safely} from '../repairs.ts'

/**
 * RabbitMQ creates quorum queues with this many replicas (rabbitmq-server: quorum_queue.target_group_size).
 */
const TARGET_REPLICAS = 3

/** Debian's package puts every program of RabbitMQ but this one on the path. */
const STREAMS = '/usr/lib/rabbitmq/bin/rabbitmq-streams'

/** Compares the replicas of queues and streams with the members of RabbitMQ. */
export function compareBus({release, members, running, queues}: Bus): readonly Finding[] {
  const server: Place = {chart: 'rabbitmq', components: ['server'], release}
  return [
    ...members
      .filter((member) => !running.includes(member))
      .map((member) => ({
        ...({kind: 'BUS_MEMBER_DOWN', certainty: 'certain', ids: [member]} as const),
        what: `member ${member} of RabbitMQ is not running`,
        repair: on(server, ['rabbitmqctl', 'cluster_status']),
      })),
    ...queues.flatMap((queue) => judgeQueue(queue, {members, running, server})),
  ]
}

function judgeQueue(
  queue: Bus['queues'][number],
  {members, running, server}: Pick<Bus, 'members' | 'running'> & {readonly server: Place},
): readonly Finding[] {
  const [host, name] = queue.name
  const [replicas, online] = [queue.members ?? [], queue.online ?? []]
  const isStream = queue.type === 'stream'
  const label = `${isStream ? 'stream' : 'queue'} ${name} of ${host}`
  const found = (
    kind: FindingKind,
    what: string,
    repair: Repair,
    certainty: Finding['certainty'] = 'certain',
  ) => ({
    ...{kind, certainty, ids: [host, name], repair},
    what: `${label} ${what}`,
  })
  const change = (verb: 'add' | 'delete', member: string) =>
    on(server, [
      ...(isStream ? [STREAMS, `${verb}_replica`] : ['rabbitmq-queues', `${verb}_member`]),
      ...['--vhost', host, name, member],
    ])
  const removed = replicas.find((each) => !members.includes(each))
  if (removed !== undefined)
    return [
      found(
        'QUEUE_REPLICA_ON_REMOVED_MEMBER',
        `has a replica on ${removed}, which is no member`,
        change('delete', removed),
      ),
    ]
  const target = Math.min(TARGET_REPLICAS, members.length)
  const free = running.filter((each) => !replicas.includes(each)).slice(0, target - replicas.length)
  if (replicas.length < target && free.length > 0) {
    return free.map((member) => ({
      kind: 'QUEUE_LACKS_REPLICAS',
      certainty: 'certain',
      ids: [host, name, member],
      what: `${label} has ${replicas.length} of ${target} replicas; ${member} has none`,
      repair: safely(server, change('add', member).command, ['rabbitmq']),
    }))
  }
  const offline = replicas.find((each) => running.includes(each) && !online.includes(each))
  const restart = on(server, [
    'rabbitmqctl',
    'list_queues',
    '--vhost',
    host,
    'name',
    'state',
    'leader',
    'online',
  ])
  if (queue.leader === null) return [found('QUEUE_WITHOUT_LEADER', 'has no leader', restart, 'likely')]
  if (offline === undefined) return []
  return [
    found(
      'QUEUE_REPLICA_OFFLINE',
      `has a replica on ${offline}, which runs and does not serve it`,
      restart,
      'likely',
    ),
  ]
}
