import {posix} from 'node:path'
import type {Values} from '../../base/values.ts'
import type {ReleaseId} from '../../release.ts'
import {type Exported, type ExportedFiles, type ExportedGroup, objectName, yaml} from '../exported.ts'

/** Where a step finds the environment file. */
const MOUNT = '/environment'

/**
 * Returns an environment as a template for workflows, whose steps run kk: so all that kk does stays. The file itself comes from
 * a Secret, for its values may be secret; a step refuses another than the one that was exported.
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
        {name: 'deploy', dag: {failFast: false, tasks: tasksOf(exported)}},
        {
          name: 'kk',
          inputs: {parameters},
          activeDeadlineSeconds: '{{inputs.parameters.timeout}}',
          container: {
            image: exported.image,
            command: ['sh', '-c', COMMAND],
            // As words of their own, so that no name is read as a part of the command.
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

/** Returns where a step looks for a directory that the file names, by its path from the file: what leaves the root ends there. */
export function inStep(directory: string): string {
  return posix.join(MOUNT, directory)
}

/** Words: the digest of the file, the file, releases. */
const COMMAND = 'echo "$1  $2" | sha256sum -c >&2 && exec kk upgrade "$2" $3 --install --yes --output ndjson'

/** Slack for what comes before helm: a pod that starts, releases that are held. */
const SLACK_SECONDS = 600

/** A group is one task: its members start together. */
function tasksOf({groups}: Exported): readonly Values[] {
  const taskOf = new Map<ReleaseId, string>(
    groups.flatMap((group) => group.map(({id}) => [id, group[0]!.name] as const)),
  )
  return groups.map((group) => {
    const needs = new Set(group[0]!.needs.map((id) => `${taskOf.get(id)}.Succeeded`))
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
