// Playbooks that want something of whoever starts them: an answer, or a variable that nothing in the repository sets. Where nobody
// answers, Ansible passes over a pause. Pure.
import { type Mapping, mapping } from '../shape.ts';
import { documentsOf, folderOf, inFolder, list, type Survey } from './survey.ts';

const HOLDS_VARIABLES =
  /(?:^|\/)(?:(?:group_|host_)?vars|roles\/[^/]+\/defaults|inventor(?:y|ies))\/|(?:^|\/)(?:hosts|inventory)[\w.-]*$/;

/** Why a playbook cannot be started as it is; undefined where nothing in its own tasks asks. */
export function asksInPlay(survey: Survey, path: string): string | undefined {
  const plays = documentsOf(survey.text(path)).flatMap(list).map(mapping);
  const tasks = plays.flatMap((play) => [...list(play.pre_tasks), ...list(play.tasks)]).map(mapping);
  const sure = tasks.filter((task) => task.when === undefined);
  const variables = plays.flatMap((play) => list(play.vars_files).flatMap(list)).map(String);
  const files = variables.map((file) => inFolder(folderOf(path), file));
  const isUnset = (name: string, before: readonly Mapping[]) =>
    !name.startsWith('ansible_') && !before.some((task) => sets(task, name)) && !isSet(survey, plays, files, name);
  const wanted = sure.flatMap((task) =>
    asserted(task).filter((name) => isUnset(name, tasks.slice(0, tasks.indexOf(task)))),
  );
  const asked = [...plays.flatMap(prompted), ...wanted];
  if (asked.length > 0) return `it asks for ${asked.slice(0, 3).join(', ')}`;
  return sure.some(waitsForPerson) ? 'it asks a person' : undefined;
}

const moduleOf = (task: Mapping, name: string): Mapping => mapping(task[name] ?? task[`ansible.builtin.${name}`]);

/** With a time it goes on by itself. */
function waitsForPerson(task: Mapping): boolean {
  const { prompt, seconds, minutes } = moduleOf(task, 'pause');
  return prompt !== undefined && seconds === undefined && minutes === undefined;
}

const prompted = (play: Mapping): string[] =>
  list(play.vars_prompt)
    .map(mapping)
    .flatMap((one) => (one.default === undefined && typeof one.name === 'string' ? [one.name] : []));

const asserted = (task: Mapping): string[] =>
  list(moduleOf(task, 'assert').that).flatMap((one) => /^\s*(\w+) is defined\s*$/.exec(String(one))?.[1] ?? []);

/** Whether a task, or one of its block, sets a variable. */
const sets = (task: Mapping, name: string): boolean =>
  task.register === name ||
  name in moduleOf(task, 'set_fact') ||
  [task.block, task.rescue, task.always].flatMap(list).some((inner) => sets(mapping(inner), name));

const isSet = ({ paths, text }: Survey, plays: readonly Mapping[], files: readonly string[], name: string): boolean =>
  plays.some((play) => name in mapping(play.vars)) ||
  paths.some(
    (path) =>
      (HOLDS_VARIABLES.test(path) || files.includes(path)) &&
      new RegExp(`^\\s*["']?${name}["']?\\s*[:=]|\\s${name}=`, 'm').test(text(path)),
  );
