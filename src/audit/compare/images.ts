import type {Cinder, Facts, Glance, Pools, Volume} from '../facts.ts'
import type {Finding, FindingKind, Place} from '../finding.ts'
import {hypervisorOf, isSettled, type Servers, UUID} from '../index-facts.ts'
import {client, on} from '../repairs.ts'
import {isCalm, volumeName} from './volumes.ts'

const VOLUME_IMAGE = new RegExp(`^volume-(${UUID.source})$`)
const SERVER_DISK = new RegExp(`^(${UUID.source})_disk`)
const GLANCE_IMAGE = new RegExp(`^${UUID.source}$`)
const OF_CINDER: Place = {chart: 'cinder', components: ['volume', 'backup']}
const OF_NOVA: Place = {chart: 'nova', components: ['compute']}
const OF_GLANCE: Place = {chart: 'glance', components: ['api']}

interface Image {
  readonly pool: string
  readonly name: string
  readonly addresses: readonly string[]
}

function imagesIn(pools: Pools | undefined): readonly Image[] {
  return Object.entries(pools?.pools ?? {}).flatMap(([pool, images]) =>
    Object.entries(images).map(([name, clients]) => ({
      ...{pool, name},
      addresses: [...new Set(clients.map(({address}) => address))],
    })),
  )
}

function removeImage(place: Place, user: string, {pool, name}: Image) {
  return on(place, ['rbd', '--id', user, 'rm', `${pool}/${name}`])
}

/** Compares the volumes of cinder with their images in Ceph, and with the clients that have opened them. */
export function compareVolumeImages(
  facts: Facts,
  cinder: Cinder,
  servers: Servers | undefined,
): readonly Finding[] {
  const images = new Map(
    imagesIn(facts.volumePools).flatMap((image) => {
      const id = VOLUME_IMAGE.exec(image.name)?.[1]
      return id === undefined ? [] : [[id, image] as const]
    }),
  )
  const known = new Set(cinder.volumes.flatMap(({id, name_id: name}) => (name === null ? [id] : [id, name])))
  const certain = {certainty: 'certain'} as const
  return [
    ...[...images]
      .filter(([id]) => !known.has(id))
      .map(([id, image]) => ({
        ...({...certain, kind: 'IMAGE_WITHOUT_VOLUME', ids: [id]} as const),
        what: `Ceph has image ${image.pool}/${image.name}, and cinder has no such volume`,
        repair: removeImage(OF_CINDER, 'cinder', image),
      })),
    ...cinder.volumes.flatMap((volume): readonly Finding[] => {
      if (!isCalm(volume)) return []
      const image = images.get(volume.name_id ?? volume.id)
      if (image) return judgeClients(volume, image, {facts, cinder, servers})
      const section = /@([^#]+)/.exec(volume.host ?? '')?.[1] ?? ''
      const pool = facts.volumePools?.sections[section]
      if (pool === undefined) return []
      const what = `${volumeName(volume)} is ${volume.status}, and pool ${pool} has no image of it`
      const repair = client('openstack', 'volume', 'set', '--state', 'error', volume.id)
      return [{...certain, kind: 'VOLUME_WITHOUT_IMAGE', ids: [volume.id], what, repair}]
    }),
  ]
}

function judgeClients(
  volume: Volume,
  {pool, name, addresses}: Image,
  {
    facts,
    cinder,
    servers,
  }: {readonly facts: Facts; readonly cinder: Cinder; readonly servers: Servers | undefined},
): readonly Finding[] {
  const {id, status, multiattach} = volume
  const found = (kind: FindingKind, what: string, repair: Finding['repair']): readonly Finding[] => [
    {kind, certainty: 'likely', ids: [id], what: `${volumeName(volume)} ${what}`, repair},
  ]
  const inspect = on(OF_CINDER, ['rbd', '--id', 'cinder', 'status', `${pool}/${name}`])
  const own = cinder.attachments.filter(({volume_id}) => volume_id === id)
  const isChanging = own.some(
    (each) => !isSettled(each) || (each.instance_uuid !== null && servers?.isBusy(each.instance_uuid)),
  )
  if (isChanging) return []
  if (status === 'available' && own.length === 0 && addresses.length > 0)
    return found(
      'VOLUME_OPEN_WHILE_AVAILABLE',
      `is available, and ${addresses.join(' and ')} has opened its image`,
      inspect,
    )
  if (addresses.length > 1 && !multiattach)
    return found('VOLUME_OPENED_TWICE', `is opened by clients at ${addresses.join(' and ')}`, inspect)
  if (addresses.length > 0 || !servers) return []
  const running = own.find(({instance_uuid: uuid}) => isRunning(uuid, facts, servers))
  if (!running) return []
  const repair = client('openstack', 'server', 'reboot', '--hard', running.instance_uuid!)
  return found(
    'VOLUME_WITHOUT_CLIENT',
    `is attached to ${servers.name(running.instance_uuid!)}, which runs and has not opened it`,
    repair,
  )
}

function isRunning(uuid: string | null, facts: Facts, servers: Servers): boolean {
  const host = servers.byId.get(uuid ?? '')?.host
  const domains = host ? hypervisorOf(facts, servers, host)?.domains : undefined
  return domains?.some((domain) => domain.uuid === uuid && domain.state === 'running') ?? false
}

/** Compares the disks of servers with their images in Ceph, and the disks of domains with all images. */
export function compareDisks(facts: Facts, servers: Servers): readonly Finding[] {
  const disks = imagesIn(facts.serverPools)
  const all = [...imagesIn(facts.volumePools), ...disks]
  const pools = new Set(
    [facts.volumePools, facts.serverPools].flatMap((each) => Object.keys(each?.pools ?? {})),
  )
  const present = new Set(all.map(({pool, name}) => `${pool}/${name}`))
  return [
    ...disks.flatMap((image): readonly Finding[] => {
      const uuid = SERVER_DISK.exec(image.name)?.[1]
      if (uuid === undefined) return []
      const name = `${image.pool}/${image.name}`
      if (servers.isMissing(uuid)) {
        const what = `Ceph has disk ${name}, and nova has no such server`
        const repair = removeImage(OF_NOVA, 'cinder', image)
        return [{kind: 'DISK_WITHOUT_SERVER', certainty: 'certain', ids: [name], what, repair}]
      }
      if (image.addresses.length < 2 || servers.isBusy(uuid)) return []
      const what = `disk ${name} of ${servers.name(uuid)} is opened by clients at ${image.addresses.join(' and ')}`
      const repair = on(OF_NOVA, ['rbd', '--id', 'cinder', 'status', name])
      return [{kind: 'DISK_OPENED_TWICE', certainty: 'likely', ids: [name], what, repair}]
    }),
    ...[...facts.hypervisors].flatMap(([node, {domains}]) =>
      domains.flatMap(({uuid, disks: used}) =>
        used
          .filter((disk) => pools.has(disk.split('/')[0]!) && !present.has(disk) && !servers.isBusy(uuid))
          .map((disk) => ({
            ...({kind: 'DISK_MISSING', certainty: 'certain', ids: [uuid, disk]} as const),
            what: `${servers.name(uuid)} on ${node} uses ${disk}, which Ceph does not have`,
            repair: client('openstack', 'server', 'rebuild', uuid),
          })),
      ),
    ),
  ]
}

/** Compares the images of glance with their data in Ceph. */
export function compareGlance(glance: Glance, pools: Pools): readonly Finding[] {
  const data = imagesIn(pools)
  const present = new Set(data.map(({pool, name}) => `${pool}/${name}`))
  const known = new Set(Object.keys(pools.pools))
  const images = new Map(glance.images.map((image) => [image.id, image]))
  const parts = glance.locations.map(({image_id: id, value}) => {
    const [, pool = '', name = ''] = value.slice('rbd://'.length).split('/')
    return {id, pool: decodeURIComponent(pool), name: decodeURIComponent(name)}
  })
  const located = new Set(parts.map(({pool, name}) => `${pool}/${name}`))
  return [
    ...parts
      .filter(
        ({id, pool, name}) =>
          known.has(pool) && !present.has(`${pool}/${name}`) && images.get(id)?.status === 'active',
      )
      .filter(({id}) => isSettled(images.get(id)!))
      .map(({id, pool, name}) => ({
        ...({kind: 'IMAGE_DATA_MISSING', certainty: 'certain', ids: [id]} as const),
        what: `image ${id} (${images.get(id)?.name ?? ''}) is active, and Ceph has no ${pool}/${name}`,
        repair: client('openstack', 'image', 'delete', id),
      })),
    ...data
      .filter(
        ({pool, name}) => GLANCE_IMAGE.test(name) && !images.has(name) && !located.has(`${pool}/${name}`),
      )
      .map((image) => ({
        ...({kind: 'IMAGE_DATA_ORPHAN', certainty: 'likely', ids: [image.name]} as const),
        what: `Ceph has image ${image.pool}/${image.name}, and glance has no such image`,
        repair: on(OF_GLANCE, ['python3', '-c', removal(image)]),
      })),
  ]
}

/** Returns a program that deletes an image with its snapshots: glance's image has no `rbd`. */
function removal({pool, name}: Image): string {
  return [
    'import rados, rbd',
    'c = rados.Rados(conffile="/etc/ceph/ceph.conf", rados_id="glance")',
    ...['c.connect()', `p = c.open_ioctx("${pool}")`, `i = rbd.Image(p, "${name}")`],
    '[(i.is_protected_snap(s["name"]) and i.unprotect_snap(s["name"]), i.remove_snap(s["name"])) for s in list(i.list_snaps())]',
    ...['i.close()', `rbd.RBD().remove(p, "${name}")`],
  ].join('; ')
}
