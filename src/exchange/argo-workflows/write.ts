import {posix} from 'node:path'
import type {Values} from '../../base/values.ts'
import type {ReleaseId} from '../../release.ts'
import {type Exported, type ExportedFiles, type ExportedGroup, objectName, yaml} from '../exported.ts'

/** The directory in a step's container that holds the environment file. */
const MOUNT = '/environment'

/**
 * Returns an environment as an Argo WorkflowTemplate whose steps run kk, so all behaviour of kk remains. The
 * environment file comes from a Secret because its values may be secret; a step refuses a file whose digest
 * differs from the exported one.
 */
export function workflowTemplate(exported: Exported): ExportedFiles {
  const name = objectName('kk', exported.name)
  const {digest} = exported.file
  const parameters = [{name: 'releases'}, {name: 'timeout'}]
  const template: Values = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'WorkflowTemplate',
    metadata: {name, labels: {'kk.openstack.org/environment': exported.name}},
    spec: {
      entrypoint: 'deploy',
      serviceAccountName: 'kk',
      parallelism: 8,
      arguments: {parameters: [{name: 'digest', value: digest}]},
      volumes: [{name: 'environment', secret: {secretName: environmentSecret(exported)}}],
      templates: [
        {name: 'deploy', dag: {failFast: false, tasks: buildTasks(exported)}},
        {
          name: 'kk',
          inputs: {parameters},
          activeDeadlineSeconds: '{{inputs.parameters.timeout}}',
          container: {
            image: exported.image,
            command: ['sh', '-c', COMMAND],
            // As separate arguments, so that no name is parsed as part of the command.
            args: [
              'kk',
              '{{workflow.parameters.digest}}',
              `${MOUNT}/${exported.file.name}`,
              '{{inputs.parameters.releases}}',
            ],
            volumeMounts: [{name: 'environment', mountPath: MOUNT, readOnly: true}],
          },
        },
      ],
    },
  }
  return new Map([['workflow-template.yaml', yaml(template)]])
}

/** The Secret with the environment file; its key is the name of the file. */
export function environmentSecret({name}: Pick<Exported, 'name'>): string {
  return objectName('kk', name)
}

/**
 * Returns the path, in a step, of a directory that the environment file names by a relative path. Paths above
 * the root end at the root.
 */
export function inStep(directory: string): string {
  return posix.join(MOUNT, directory)
}

/** Arguments: the digest of the file, the file, releases. */
const COMMAND = 'echo "$1  $2" | sha256sum -c >&2 && exec kk upgrade "$2" $3 --install --yes --output ndjson'

/** Time before helm starts: the pod starts, kk waits for the leases of releases. */
const SLACK_SECONDS = 600

/** A group is one task: its members start together. */
function buildTasks({groups}: Exported): readonly Values[] {
  const taskNames = new Map<ReleaseId, string>(
    groups.flatMap((group) => group.map(({id}) => [id, group[0]!.name] as const)),
  )
  return groups.map((group) => {
    const needs = new Set(group[0]!.needs.map((id) => `${taskNames.get(id)}.Succeeded`))
    return {
      name: group[0]!.name,
      template: 'kk',
      ...(needs.size > 0 && {depends: [...needs].join(' && ')}),
      arguments: {
        parameters: [
          {name: 'releases', value: group.map(({name}) => name).join(' ')},
          {name: 'timeout', value: String(deadline(group))},
        ],
      },
    }
  })
}

function deadline(group: ExportedGroup): number {
  return Math.max(...group.map(({timeoutSeconds}) => timeoutSeconds)) + SLACK_SECONDS
}
