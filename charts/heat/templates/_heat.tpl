{{- /*
Options that follow from endpoints and accounts: the URLs to which instances of a stack report, the
administrator of its users, and the key that encrypts the database.
*/ -}}
{{- define "common.config.block.stacks" -}}
{{- $cfn := dict "ctx" .ctx "type" "cloudformation" "interface" "public" -}}
{{- $cfnUri := include "common.endpoints.uri" $cfn -}}
options:
  DEFAULT:
    region_name_for_services: {{ .ctx.values.region | quote }}
    heat_metadata_server_url: {{ trimSuffix "/v1" $cfnUri | quote }}
    heat_waitcondition_server_url: {{ printf "%s/waitcondition" $cfnUri | quote }}
    stack_domain_admin_password: {{ include "common.endpoints.credential" (dict "ctx" .ctx "oslo" true "path" "identity.heat_stack_user.password") | quote }}
    auth_encryption_key: {{ include "common.endpoints.credential" (dict "ctx" .ctx "path" "orchestration.auth_encryption_key") | trunc 32 | quote }}
  # Its scope is the trust, so it has no project.
  trustee:
    {{- omit (fromYaml (include "common.config.account" (dict "ctx" .ctx "user" "heat"))) "project_name" "project_domain_name" "region_name" | toYaml | nindent 4 }}
  ec2authtoken:
    auth_uri: {{ include "common.endpoints.uri" (dict "ctx" .ctx "type" "identity") | quote }}
  clients_keystone:
    auth_uri: {{ include "common.endpoints.uri" (dict "ctx" .ctx "type" "identity") | quote }}
{{- end -}}

{{- /* Creates a stack with a random string, and deletes it. */ -}}
{{- define "common.scripts.heat-test.sh" -}}
set -eu
cat >/tmp/stack.yaml <<YAML
heat_template_version: 2021-04-16
resources:
  text: {type: OS::Heat::RandomString}
outputs:
  text: {value: {get_attr: [text, value]}}
YAML
trap 'openstack stack delete --yes --wait kk-test' EXIT
openstack stack create --wait --template /tmp/stack.yaml kk-test
openstack stack output show kk-test text
{{ end -}}
