"""``karat.yaml``: the one project file. Every key has a default and can be given on the command line instead.

An unknown key is a mistake, shown with its place and the nearest known key. Paths are relative to the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from karat.core import plugins
from karat.core.files.limits import wrong_repeats
from karat.core.files.validation_errors import shape_in_words
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.metrics.metric_names import find_metric
from karat.core.problems import Problem, UserError, count_of, did_you_mean
from karat.core.secrets.quoting import hidden, hidden_value
from karat.core.suite import Suite, SuiteOptions
from karat.core.system import SystemConfig, SystemType
from karat.core.yaml.plain_values import node_of
from karat.core.yaml.structs import EMPTY, Findings, Raw, documents, env_setting, load, read, secret_message
from karat.environments import Environment
from karat.judge.settings import JudgeSettings
from karat.runs.calls.stopping import GRACE, wrong_seconds
from karat.runs.case_order import Order
from karat.runs.executors.choice import parse_executor
from karat.runs.project_file.environments import check_names, with_environments
from karat.runs.project_file.plain_secrets import secret_problems
from karat.runs.project_file.prompt_problems import check_prompts
from karat.runs.project_file.store_address import DEFAULT_STORE, STORE_RETRY, store_url
from karat.runs.project_file.suite_keys import expand_short_keys
from karat.stats.gates.figures import EVERYWHERE
from karat.stats.gates.reasons import reason_metrics
from karat.stats.gates.rules import number
from karat.stats.gates.verdicts import Gate

S = TypeVar("S")


class SuiteEntry(msgspec.Struct, frozen=True):
    """One suite of a project: its cases, and the system to ask or the recorded predictions to score."""

    suite: str
    """The suite."""
    cases: str
    """A case file or a folder of case files."""
    system: str = ""
    """The name of a system under ``systems``."""
    predictions: str = ""
    """Recorded answers, instead of a system."""
    options: Raw | None = None
    """Options of the suite."""


class RunOptions(msgspec.Struct, frozen=True):
    """How runs are made, unless the command line says otherwise."""

    repeats: int = 1
    """How often each case is run."""
    limit: int | None = None
    """Run only the first N cases."""
    tags: tuple[str, ...] = ()
    """Run only cases with one of these tags."""
    workers: int | None = None
    """How many processes score; ``executor`` says it in more detail."""
    order: Order = "random"
    """In which order the cases are asked; results keep the file's order."""
    grace: float = GRACE
    """Seconds that calls in flight have to finish after Ctrl-C."""
    store_retry: float = STORE_RETRY
    """Seconds for which a store that cannot be reached is tried again."""

    def __post_init__(self) -> None:
        if wrong := wrong_repeats(self.repeats):
            raise ValueError(wrong)
        if wrong := wrong_seconds("grace", self.grace) or wrong_seconds("store_retry", self.store_retry):
            raise ValueError(wrong)
        if self.workers is not None and self.workers < 1:
            raise ValueError("workers must be at least 1")


class ProjectFile(msgspec.Struct, frozen=True):
    """What is in karat.yaml."""

    name: str = ""
    """The name shown on reports. Without one, the folder's name."""
    store: str = DEFAULT_STORE
    """Where runs are stored: a path, a ``sqlite:///`` URL, or ``postgresql://user@host/db``."""
    systems: dict[str, Raw] = {}
    """The assistants to measure: name → settings, with their ``type``."""
    suites: tuple[SuiteEntry, ...] = ()
    """What to measure, in this order."""
    run: RunOptions = RunOptions()
    """How runs are made."""
    executor: str = ""
    """Where scoring runs: ``in-process``, ``processes:N``, ``dask-local:N``, ``dask://HOST:PORT`` or ``tls://HOST:PORT``."""
    baseline: str = ""
    """The run that gates compare with: ``r-0012``, a name or a tag."""
    gates: tuple[Gate, ...] = ()
    """What must hold. If one does not, the exit code is 1."""
    judge: JudgeSettings | None = None
    """The system that judges what no rule settles."""
    environments: dict[str, Environment] = {}
    """Python environments that tasks name, see ``karat env``."""


class Project(msgspec.Struct, frozen=True):
    """A project file that was read and checked as a whole."""

    root: Path
    name: str
    store: str
    systems: dict[str, SystemConfig]
    suites: tuple[tuple[SuiteEntry, SuiteOptions], ...]
    run: RunOptions = RunOptions()
    gates: tuple[Gate, ...] = ()
    baseline: str = ""
    """The run that gates compare with: a run, or the name of one; empty: the newest run named "baseline"."""
    executor: str = ""
    """Where scoring runs, as ``--executor`` says it; empty: in this process, or on processes for a heavy suite."""
    judge: JudgeSettings | None = None
    """The system that judges what no rule can settle."""
    environments: dict[str, Environment] = {}
    """By name, with absolute paths."""


def load_project(path: Path) -> Project:
    """Read and check a project file. All its mistakes are in the one UserError that is raised."""
    try:
        found, findings, root = load(ProjectFile, path, partial(expand_short_keys, known=SuiteEntry.__struct_fields__))
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    parts = found or _readable_parts(root)
    if found is None:
        _check_suites(root, findings)
    systems = {name: _system(name, raw.node, findings) for name, raw in parts.systems.items()}
    suites: list[tuple[SuiteEntry, SuiteOptions]] = []
    asking: dict[str, list[Suite]] = {name: [] for name in systems}
    for entry in parts.suites:
        suite = _suite(entry, path, findings)
        if suite is not None and entry.system in asking:
            asking[entry.system].append(suite)
        options = read_options(suite, entry.options, findings) if suite else None
        if entry.system and entry.system not in systems:
            message = f'the suite "{entry.suite}" names the system "{entry.system}", which is not under "systems"'
            findings.problems.append(Problem(message, file=str(path), hint=did_you_mean(entry.system, systems)))
        if entry.system and entry.predictions:
            message = f'the suite "{entry.suite}" names both a system and predictions'
            findings.problems.append(Problem(message, file=str(path), hint="Keep one of the two."))
        if options is not None:
            suites.append((entry, options))
    for name, system in systems.items():
        if system is not None:
            check_prompts(parts.systems[name].node, system, asking[name], path.resolve().parent, findings)
    _check_executor(root, findings)
    check_names(root, findings)
    if parts.judge is not None and parts.judge.system not in systems:
        message = f'"judge" names the system "{parts.judge.system}", which is not under "systems"'
        findings.problems.append(Problem(message, file=str(path), hint=did_you_mean(parts.judge.system, systems)))
    _check_gates(parts.gates, [entry.suite for entry in parts.suites], path, findings)
    if found is None or findings.problems:
        empty = root is None and any(problem.message == EMPTY for problem in findings.problems)
        hint = "karat init FOLDER writes one to start from." if empty else ""
        said = f"{count_of(len(findings.problems), 'mistake')} in {path.name}"
        raise UserError(said, hint=hint, problems=findings.problems)
    known = {name: system for name, system in systems.items() if system is not None}
    folder = path.resolve().parent
    environments = {name: one.placed(folder) for name, one in found.environments.items()}
    return Project(
        folder,
        found.name or folder.name,
        store_url(found.store, folder),
        known,
        tuple((entry, with_environments(options, environments)) for entry, options in suites),
        found.run,
        found.gates,
        found.baseline,
        found.executor,
        found.judge,
        environments,
    )


def _readable_parts(root: Node | None) -> ProjectFile:
    """What can be read of a file with mistakes, so that the mistakes inside its parts are found in the same go."""
    parts: JsonObject = {}
    for key, node in root.value if isinstance(root, MappingNode) else ():
        if key.value == "systems" and isinstance(node, MappingNode):
            parts["systems"] = {str(name.value): Raw(value) for name, value in node.value}
        elif key.value == "suites" and isinstance(node, SequenceNode):
            entries = [read(SuiteEntry, item, Findings("")) for item in node.value]
            parts["suites"] = tuple(entry for entry in entries if entry is not None)
    return ProjectFile(**parts)


def _check_suites(root: Node | None, findings: Findings) -> None:
    """Suites that do not exist, in entries that cannot be read. They come first: the unknown keys may be short keys of
    the suite that is meant."""
    keys = {key.value: node for key, node in root.value} if isinstance(root, MappingNode) else {}
    suites = keys.get("suites")
    for entry in suites.value if isinstance(suites, SequenceNode) else ():
        if not isinstance(entry, MappingNode) or read(SuiteEntry, entry, Findings("")) is not None:
            continue
        for key, node in entry.value:
            if key.value == "suite" and isinstance(node, ScalarNode) and node.value:
                try:
                    plugins.load_suite(node.value)
                except UserError as error:
                    findings.add(node, error.message, error.hint)
                    findings.problems.insert(0, findings.problems.pop())


def _check_executor(root: Node | None, findings: Findings) -> None:
    """What is wrong with ``executor``, in its place; and whether ``run.workers`` says otherwise."""
    keys = {key.value: node for key, node in root.value} if isinstance(root, MappingNode) else {}
    node = keys.get("executor")
    if not isinstance(node, ScalarNode) or not node.value:
        return
    try:
        parse_executor(str(node.value))
    except UserError as error:
        findings.add(node, error.message, error.hint)
    run = keys.get("run")
    if isinstance(run, MappingNode) and any(key.value == "workers" for key, _ in run.value):
        hint = 'Keep one of the two. "processes:4" is the same as run: {workers: 4}.'
        findings.add(node, "executor and run.workers cannot be combined", hint)


def _suite(entry: SuiteEntry, path: Path, findings: Findings) -> Suite | None:
    try:
        return plugins.load_suite(entry.suite)
    except UserError as error:
        findings.problems.append(Problem(error.message, file=str(path), hint=error.hint))
        return None


def _check_gates(gates: Sequence[Gate], suites: Sequence[str], path: Path, findings: Findings) -> None:
    for problem in gate_problems(gates, suites):
        findings.problems.append(msgspec.structs.replace(problem, file=str(path)))


def gate_problems(gates: Sequence[Gate], suites: Sequence[str]) -> list[Problem]:
    """Every rule that names a suite which is not among these, or a metric which its suite does not have."""
    problems: list[Problem] = []
    for gate in gates:
        if not gate.figure:
            continue
        name, _, metric = gate.figure.partition(".")
        if name not in suites:
            message = f'the gate on "{gate.figure}" does not name a suite of this project'
            problems.append(Problem(message, hint=did_you_mean(name, suites)))
            continue
        message = f'the gate on "{gate.figure}" does not name a metric of {name}'
        try:
            suite = plugins.load_suite(name)
            found = find_metric(metric, (*suite.metrics, *EVERYWHERE, *reason_metrics(suite)), message)
        except UserError as error:
            problems.append(Problem(error.message, hint=error.hint))
            continue
        if gate.no_new_failures is not None and found.kind == "quantity":
            message = f'the gate on "{gate.figure}" cannot tell which cases are right: {metric} is a quantity'
            problems.append(Problem(message, hint="Name a rate or a share, or leave the metric out."))
        if found.kind != "quantity":
            problems += _limits_outside(gate)
    return problems


def _limits_outside(gate: Gate) -> Iterator[Problem]:
    """Limits that no share or rate can reach, such as ``at_most: 5`` where 5 % is meant: such a rule always passes, or
    never."""
    for key, limit in (("at_least", gate.at_least), ("at_most", gate.at_most), ("margin", gate.margin)):
        if limit is not None and not 0 <= limit <= 1:
            message = f'the gate on "{gate.figure}" has {key}: {number(limit)}, and the figure is between 0 and 1'
            percent = f"If {number(limit)} % is meant, write {number(round(limit / 100, 10))}."
            yield Problem(message, hint=percent if 0 < limit <= 100 else "")


def _system(name: str, node: Node, findings: Findings) -> SystemConfig | None:
    if not isinstance(node, MappingNode):
        findings.add(node, f'the system "{name}" needs a type, such as {{type: openai, …}}')
        return None
    kinds = [value for key, value in node.value if key.value == "type"]
    if not kinds or not isinstance(kinds[0].value, str):
        findings.add(node, f'the system "{name}" has no type', f"Types: {', '.join(plugins.names('karat.systems'))}.")
        return None
    try:
        kind: SystemType = plugins.load("karat.systems", kinds[0].value)
    except UserError as error:
        findings.add(kinds[0], error.message, error.hint)
        return None
    config = read(kind.config, node, findings)
    if config is not None:
        findings.problems.extend(secret_problems(config, node, findings.file))
    return config


def read_options(suite: Suite, raw: Raw | None, findings: Findings) -> SuiteOptions | None:
    """The options of a suite from a part of a file; its defaults when there is none."""
    if raw is None:
        return suite.options()  # type: ignore[no-any-return]  # a suite of any kind
    options = read(suite.options, raw.node, findings)
    if options is not None:
        findings.problems.extend(secret_problems(options, raw.node, findings.file))
    return options


def from_settings(kind: type[S], settings: Sequence[str], flag: str, fixed: Mapping[str, str] | None = None) -> S:
    """A struct from ``key=value`` words of the command line; each value is YAML, so ``a=[X, Y]`` is a list."""
    given = {key: msgspec.json.encode(value).decode() for key, value in (fixed or {}).items()}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals:
            shown = hidden_value(setting)
            raise UserError(f'{flag} expects KEY=VALUE, found "{shown}"', hint=f"For example {flag} {shown}=…")
        given[key.strip()] = value
    noun = "option" if flag == "--option" else "system setting"
    _check_keys(kind, given, noun, fixed or {}, f"{flag} {{}}=…")
    findings = Findings("")
    text = "\n".join(f"{key}: {value}" for key, value in given.items()) or "{}"
    found = [read(kind, node, findings) for node in documents(text.encode(), findings)]
    if findings.problems or not found or found[0] is None:
        keys = [key for key, value in given.items() for _ in range(value.count("\n") + 1)]
        raise _not_valid(keys, noun, [(p.line if p.column > 1 else 0, p) for p in findings.problems])
    return found[0]


def options_from(kind: type[S], given: JsonMapping, noun: str = "option", fixed: Sequence[str] = ()) -> S:
    """A struct of options from Python values; what is wrong with them is said as it is said of a file."""
    _check_keys(kind, given, noun, fixed, "{}=…")
    try:
        return msgspec.convert(dict(given), kind)
    except msgspec.ValidationError as error:
        findings = Findings("")
        try:
            whole = node_of({}, "", 0)
            whole.value = [
                (node_of(key, "", line), node_of(value, "", line)) for line, (key, value) in enumerate(given.items(), 1)
            ]
            read(kind, whole, findings)
        except TypeError:  # a value that no file can hold
            findings.problems.clear()
        if findings.problems:
            raise _not_valid(list(given), noun, [(p.line, p) for p in findings.problems]) from None
        said = hidden(shape_in_words(error, f"the {noun}s"))
        raise UserError(f"the {noun}s are not valid", problems=[Problem(said)]) from error


def _check_keys(kind: type[S], given: Iterable[str], noun: str, fixed: Iterable[str], written: str) -> None:
    """UserError for a key that there is none of, and for one that is needed and not given."""
    fields = msgspec.structs.fields(kind)  # type: ignore[arg-type]  # S is always a struct
    known = {field.encode_name: field.required for field in fields}
    for key in given:
        if key not in known:
            _refuse_secret(key, known)
            hint = did_you_mean(key, known.keys() - set(fixed))
            raise UserError(f'unknown {noun} "{hidden_value(key)}"', hint=hint)
    if missing := [key for key, required in known.items() if required and key not in given]:
        hint = f"Give {' '.join(written.format(key) for key in missing)}"
        raise UserError(f"{' and '.join(missing)} must be given", hint=hint)


def _not_valid(keys: Sequence[str], noun: str, found: Sequence[tuple[int, Problem]]) -> UserError:
    """``keys``: the key of each line. ``found``: each problem with the line that it is in; 0: it concerns all of them
    together."""
    named = [f"{noun} {keys[line - 1]}: " if 0 < line <= len(keys) else "" for line, _ in found]
    problems = [Problem(f"{n}{p.message}", hint=p.hint) for n, (_, p) in zip(named, found, strict=True)]
    return UserError(f"the {noun}s are not valid", problems=problems)


def _refuse_secret(key: str, known: Iterable[str]) -> None:
    """An API key given as it is, where the name of the variable that holds it belongs."""
    if variable := env_setting(key, known):
        raise UserError(secret_message(key, variable))
