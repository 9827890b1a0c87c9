"""Policies: the input that names one, and what it says of types to every metric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from showthrough.core.errors import PlanError, Problem
from showthrough.core.families import Family, InputType

if TYPE_CHECKING:
    from showthrough.data.documents import Corpus
    from showthrough.evaluation.plan import Plan
    from showthrough.families._arguments import PolicyArguments
    from showthrough.families.policies.policy import Policy
    from showthrough.metrics import Metric
    from showthrough.report.section import Section
    from showthrough.run.gate.checks import RuleCheck
    from showthrough.run.records import Input
    from showthrough.run.run import Run

POLICY = "policy"
_TIERS = ("direct", "quasi", "may", "ignore")


@dataclass(frozen=True, kw_only=True)
class PolicyOptions:
    """A policy that ships, or one in a file."""

    policy: Annotated[
        str | None,
        Meta(
            title="NAME|FILE",
            description="Rules to judge releases by: hipaa-safe-harbor, i2b2-2014, tab, or a TOML file.",
        ),
    ] = None


class PolicyInput(InputType):
    """The policy that releases are judged by. It also says which types must be masked, for every metric."""

    name = POLICY
    travels = True

    def read(self, options: PolicyOptions, anonymizations: Sequence[str]) -> Policy | None:
        if options.policy is None:
            return None
        from showthrough.families.policies.policy import read_policy

        return read_policy(options.policy)

    def accept(self, arguments: PolicyArguments) -> Policy | None:
        from showthrough.families.policies.policy import Policy, read_policy

        policy = arguments.policy
        if policy is None or isinstance(policy, Policy):
            return policy
        if not isinstance(policy, str | Path):
            raise PlanError(f"found a value of type {type(policy).__name__}; expected a name or a file", POLICY)
        return read_policy(str(policy))

    def keys(self, options: PolicyOptions) -> tuple[str, ...]:
        return () if options.policy is None else ("",)

    def metrics(self, keys: Sequence[str], chosen: Sequence[Metric], *, by_default: bool) -> tuple[Metric, ...]:
        from showthrough.metrics import METRICS

        return (METRICS[POLICY],) if keys and not any(POLICY in metric.needs for metric in chosen) else ()

    def record(self, value: Policy, corpus: Corpus) -> list[Input]:
        from showthrough.run.records import Input

        return [Input(value.name, value.digest, len(value.rules), value.file)]

    def describe(self, record: Input) -> str:
        return f"the policy “{record.name}” with {record.documents} rules"

    def retype(self, value: Policy, corpus: Corpus) -> Corpus:
        return value.applied_to(corpus)

    def pin_types(self, value: Policy) -> str:
        return f"{POLICY}={value.name}@{value.digest[:8]}"


class _Policies(Family):
    @property
    def arguments(self) -> type[PolicyArguments]:
        from showthrough.families._arguments import PolicyArguments

        return PolicyArguments

    @property
    def section(self) -> Section:
        from showthrough.families.policies.report import SECTION

        return SECTION

    def problems(self, plan: Plan) -> Iterable[Problem]:
        has_policy = plan.inputs.get(POLICY) is not None
        if not has_policy and any(POLICY in metric.needs for metric in plan.metrics):
            yield Problem("", POLICY, "none was given, which the metric policy needs; expected --policy NAME or FILE")
        types = plan.settings.retyping
        options = [f"--{name}" for name in _TIERS if getattr(types, name)]
        options += ["--map TYPE="] if not all(types.map.values()) else []
        if has_policy and options:
            expected = "expected the tiers of types in the policy alone"
            yield Problem("", options[0], f"cannot stand beside --{POLICY}, which says what must be masked; {expected}")

    def checks(self, run: Run, name: str) -> Iterable[RuleCheck]:
        if POLICY not in run.inputs:
            return ()
        from showthrough.families.policies.report import rule_checks

        return rule_checks(run, name)

    def relocate(self, options: PolicyOptions, plan: Path) -> dict[str, Any]:
        if options.policy is None:
            return {}
        from showthrough.evaluation.requests import seen_from
        from showthrough.families.policies.policy import shipped

        return {POLICY: options.policy if options.policy in shipped() else seen_from(plan, options.policy, POLICY)}

    def files(self, options: PolicyOptions, metrics: Sequence[Metric]) -> list[Path]:
        from showthrough.families.policies.policy import shipped

        return [Path(options.policy)] if options.policy and options.policy not in shipped() else []


FAMILY = _Policies("policies", (PolicyInput(),), options=PolicyOptions, metrics={"policy": ("kept:PolicyKept", {})})
