import type {Facts, Schema} from '../facts.ts'
import type {Finding} from '../finding.ts'
import {client} from '../repairs.ts'

/** Compares the migrations that databases have with those of the images of their services. */
export function compareSchemas(schemas: readonly Schema[]): readonly Finding[] {
  return schemas.flatMap(({name, applied, known, pending, unknown}): readonly Finding[] => {
    if (known === null) return []
    const release = name.split(' ')[0]!
    const at = applied.join(', ') || 'none'
    if (unknown.length > 0)
      return [
        {
          ...{kind: 'SCHEMA_AHEAD', certainty: 'certain', ids: [name]},
          what: `the database ${name} has migration ${unknown.join(', ')}, which its image does not have`,
          repair: client('kk', 'history', release),
        },
      ]
    if (pending.length === 0) return []
    return [
      {
        ...{kind: 'SCHEMA_BEHIND', certainty: 'certain', ids: [name]},
        what: `the database ${name} is at ${at} and lacks ${pending.length} migrations of its image: ${pending.slice(0, 3).join(', ')}${pending.length > 3 ? ', …' : ''}`,
        repair: client('kk', 'upgrade', release),
      },
    ]
  })
}

/** Finds the resources of projects that keystone does not have. */
export function compareProjects({keystone, nova, cinder, neutron}: Facts): readonly Finding[] {
  if (!keystone) return []
  const projects = new Set(keystone.projects.map(({id}) => id))
  const owned = (
    type: string,
    rows: readonly {readonly id: string; readonly name: string | null; readonly project_id: string | null}[],
  ) =>
    rows
      .filter(
        ({project_id: project}) =>
          project && !projects.has(project.replaceAll('-', '')) && !projects.has(project),
      )
      .map(
        ({id, name, project_id: project}): Finding => ({
          ...{kind: 'PROJECT_MISSING', certainty: 'certain', ids: [id]},
          what: `${type} ${id} (${name ?? ''}) belongs to project ${project}, which does not exist`,
          repair: client('openstack', type, 'delete', id),
        }),
      )
  const servers = Object.values(nova?.cells ?? {}).flatMap((cell) =>
    cell.servers.map(({uuid, display_name, project_id}) => ({id: uuid, name: display_name, project_id})),
  )
  return [
    ...owned('server', servers),
    ...owned('volume', cinder?.volumes ?? []),
    ...owned('network', neutron?.networks ?? []),
    ...owned('router', neutron?.routers ?? []),
  ]
}
