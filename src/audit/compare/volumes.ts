import type {Cinder, Volume} from '../facts.ts'
import type {Finding} from '../finding.ts'
import {isSettled, type Servers, STUCK_SECONDS} from '../index-facts.ts'
import {client, NOVA_MANAGE, on, sql} from '../repairs.ts'

/** Statuses without an image in the storage, or without a backend. */
const UNFINISHED = /^(creating|deleting|downloading|managing|restoring|error|maintenance)|ing$/

export function volumeName({id, name}: Pick<Volume, 'id' | 'name'>): string {
  return name ? `volume ${id} (${name})` : `volume ${id}`
}

/** Returns true if no operation changes a volume. */
export function isCalm(volume: Volume): boolean {
  return (
    isSettled(volume) &&
    !UNFINISHED.test(volume.status) &&
    (volume.migration_status ?? 'success') === 'success'
  )
}

function deleteAttachment(id: string) {
  return client('openstack', '--os-volume-api-version', '3.44', 'volume', 'attachment', 'delete', id)
}

/** Compares the volumes and attachments of cinder with the servers of nova. */
export function compareVolumes(cinder: Cinder, servers: Servers): readonly Finding[] {
  const volumes = new Map(cinder.volumes.map((volume) => [volume.id, volume]))
  const used = servers.cells.flatMap(([, cell]) => cell.volumes)
  const uses = new Set(used.map(({instance_uuid, volume_id}) => `${instance_uuid} ${volume_id}`))
  const attachments = new Set(cinder.attachments.map(({id}) => id))
  return [
    ...cinder.attachments.flatMap((attachment): readonly Finding[] => {
      const {id, instance_uuid: server, volume_id: volume} = attachment
      const isChanging = !isSettled(attachment) || (volumes.has(volume) && !isCalm(volumes.get(volume)!))
      if (server === null || isChanging || servers.isBusy(server)) return []
      const name = volumeName(volumes.get(volume) ?? {id: volume, name: null})
      const certain = {certainty: 'certain', ids: [id], repair: deleteAttachment(id)} as const
      if (servers.isMissing(server)) {
        const what = `${name} is attached to server ${server}, which does not exist (attachment ${id})`
        return [{...certain, kind: 'ATTACHMENT_WITHOUT_SERVER', what}]
      }
      if (uses.has(`${server} ${volume}`)) return []
      const what = `${name} is attached to ${servers.name(server)}, which does not use it (attachment ${id})`
      return [{...certain, kind: 'ATTACHMENT_UNKNOWN_TO_NOVA', what}]
    }),
    ...used.flatMap((each): readonly Finding[] => {
      const {instance_uuid: server, volume_id: id, attachment_id: attachment} = each
      const volume = volumes.get(id)
      if (!isSettled(each) || servers.isBusy(server) || (volume && !isCalm(volume))) return []
      const certain = {certainty: 'certain', ids: [server, id]} as const
      if (!volume) {
        const what = `${servers.name(server)} uses volume ${id}, which cinder does not have`
        const repair = client('openstack', 'server', 'remove', 'volume', server, id)
        return [{...certain, kind: 'SERVER_VOLUME_MISSING', what, repair}]
      }
      if (attachment === null || attachments.has(attachment)) return []
      const what = `${servers.name(server)} uses ${volumeName(volume)} by attachment ${attachment}, which cinder does not have`
      const refresh = ['nova-manage', 'volume_attachment', 'refresh', server, id, '/tmp/connector.json']
      const command = [
        'sh',
        '-c',
        `nova-manage volume_attachment get_connector --json > /tmp/connector.json; ${refresh.join(' ')}`,
      ]
      return [{...certain, kind: 'SERVER_VOLUME_UNATTACHED', what, repair: on(NOVA_MANAGE, command)}]
    }),
    ...cinder.volumes.flatMap((volume) => judgeVolume(volume, cinder)),
    ...cinder.snapshots.flatMap((each): readonly Finding[] => {
      const {id, volume_id: volume, status, age} = each
      if (/ing$/.test(status) && age >= STUCK_SECONDS) {
        const repair = client('openstack', 'volume', 'snapshot', 'set', '--state', 'error', id)
        const what = `snapshot ${id} has been ${status} for ${Math.round(age / 60)} minutes`
        return [{kind: 'SNAPSHOT_STUCK', certainty: 'likely', ids: [id], what, repair}]
      }
      if (!isSettled(each) || volumes.has(volume)) return []
      const repair = sql('cinder', `UPDATE snapshots SET deleted = 1, deleted_at = NOW() WHERE id = '${id}'`)
      const what = `snapshot ${id} belongs to volume ${volume}, which does not exist`
      return [{kind: 'SNAPSHOT_WITHOUT_VOLUME', certainty: 'certain', ids: [id], what, repair}]
    }),
  ]
}

function judgeVolume(volume: Volume, {attachments, services}: Cinder): readonly Finding[] {
  const {id, status, age, host} = volume
  const name = volumeName(volume)
  const certain = {certainty: 'certain', ids: [id]} as const
  if (/ing$/.test(status) && age >= STUCK_SECONDS) {
    const repair = client('openstack', 'volume', 'set', '--state', 'error', id)
    const what = `${name} has been ${status} for ${Math.round(age / 60)} minutes`
    return [{kind: 'VOLUME_STUCK', certainty: 'likely', ids: [id], what, repair}]
  }
  if (!isCalm(volume)) return []
  const own = attachments.filter(({volume_id}) => volume_id === id)
  const backend = host?.split('#')[0]
  const found: Finding[] = []
  if (status === 'in-use' && own.length === 0)
    found.push({
      ...{...certain, kind: 'VOLUME_IN_USE_UNATTACHED', what: `${name} is in use and has no attachment`},
      repair: client('openstack', 'volume', 'set', '--state', 'available', '--detached', id),
    })
  const attached = own.find((each) => each.attach_status === 'attached' && isSettled(each))
  if (status === 'available' && attached)
    found.push({
      ...{...certain, kind: 'VOLUME_AVAILABLE_ATTACHED'},
      what: `${name} is available and has attachment ${attached.id} to ${attached.instance_uuid ?? 'a host'}`,
      repair: deleteAttachment(attached.id),
    })
  const isBackend = services.some((each) => each.binary === 'cinder-volume' && each.host === backend)
  if (backend && !isBackend)
    found.push({
      ...{
        ...certain,
        kind: 'VOLUME_BACKEND_UNKNOWN',
        what: `${name} belongs to backend ${backend}, which has no service`,
      },
      repair: on({chart: 'cinder', components: ['volume', 'api']}, [
        ...['cinder-manage', 'volume', 'update_host', '--currenthost', host!, '--newhost'],
        services.find(({binary, host: each}) => binary === 'cinder-volume' && each)?.host ??
          'HOST@BACKEND#POOL',
      ]),
    })
  return found
}
