"""What the text says of the Feitelson model (sections 3.1 to 3.3), over a family of them: does it hang on the refit?"""

from functools import cached_property, partial
from itertools import product

import pandas as pd

from ...models import feitelson96, jann97
from ..exhibit import MODELS, Part
from ..parameters import LOAD, parameter, whole
from . import feitelson_family, figure6, load_curves
from .figures4_7 import UnderLoad
from .load_curves import CANDIDATES, OF_F, OF_FSL

ON = dict.fromkeys([*OF_F, *OF_FSL], MODELS)

ONCE = {"repeat": False}
STEPS = dict(zip(CANDIDATES, (ONCE, ONCE | {"arrivals": jann97.interarrivals}), strict=True))
"""What is done to Fsl to see what is left."""


class FeitelsonFamily(UnderLoad, name="mualem2001/feitelson-family", section="3.3", seconds=170, claims=ON):
    """How far do the answers hang on the numbers of the Feitelson model?"""

    first_variant_load: float = parameter(0.7, LOAD)
    last_variant_load: float = parameter(0.85, LOAD)
    number_of_runs: int = parameter(5, whole(2))

    measures = tuple(load_curves.MEASURED)

    def __post_init__(self):
        super().__post_init__()
        low, high = self.first_variant_load, self.last_variant_load
        if not any(low <= load <= high for load in self.loads):
            self.refuse("last_variant_load", f"one of the loads from {low:g} on, or more: {self.loads}")

    @cached_property
    def family(self):
        """The members' numbers, by name."""
        return feitelson_family.members()

    @cached_property
    def labels(self):
        """The label of each member's variants, by (member, variant); one for all that have the same numbers."""
        labels, first = {}, {}
        for (name, about), (variant, parts) in product(self.family.items(), feitelson96.VARIANTS.items()):
            numbers = [about[of][which] for of, which in zip(("size", "run"), parts, strict=True)]
            label = f"Fsl {about['mimics']}" if variant == "Fsl" else f"{variant} of {name}"
            labels[name, variant] = first.setdefault(repr(numbers), label)
        return labels

    @property
    def models(self):
        found = {}
        for (name, variant), label in self.labels.items():
            found.setdefault(label, partial(self.feitelson, variant=variant, about=self.family[name]))
        for (label, name), (step, changes) in product(feitelson_family.fsl().items(), STEPS.items()):
            found[f"{label}: {step}"] = partial(self.feitelson, variant="Fsl", about=self.family[name], **changes)
        return found | {"Jann": self.jann}

    @property
    def repeating(self):
        """The labels of those whose jobs are executed repeatedly."""
        return set(self.labels.values())

    @property
    def framing(self):
        """The labels of the models of Figure 4: F of each member, which stands for its variants, and Jann."""
        return list(dict.fromkeys([*(self.labels[name, "F"] for name in self.family), "Jann"]))

    def load(self):
        return {MODELS: [self.models[label](self.seed) for label in self.framing]}

    @cached_property
    def _curves(self):
        """The models of Figure 4 at all its loads, the others at high ones; each alone, for all together are large."""
        settings, found = self.settings, []
        low, high = self.first_variant_load, self.last_variant_load
        for label, make in self.models.items():
            loads = [load for load in settings["loads"] if label in self.framing or low <= load <= high]
            found.append(load_curves.curves({label: make}, **settings | {"loads": loads}))
        return tuple(pd.concat(tables) for tables in zip(*found, strict=True))

    @cached_property
    def described(self):
        """What the jobs of each member's variants are like, and which variants do not do what their names say."""
        tables = {name: feitelson_family.described(about) for name, about in self.family.items()}
        table = pd.concat(tables, names=["member"])
        return table.assign(unlike=[variant in self.family[name]["unlike"] for name, variant in table.index])

    def of_member(self, table, name):
        """Take what a table has of a member's models and of Jann's, under the labels of Figures 4 and 7."""
        fsl = self.labels[name, "Fsl"]
        named = {variant: self.labels[name, variant] for variant in feitelson96.VARIANTS}
        named |= {step: f"{fsl}: {step}" for step in STEPS} | {"Jann": "Jann"}
        parts = {label: table.xs(found, level="workload") for label, found in named.items()}
        return pd.concat(parts, names=["workload"]).reorder_levels(table.index.names)

    @cached_property
    def measured(self):
        """What was measured, by claim, rule, member or Fsl, and part."""
        tables = {
            name: [self.of_member(table, name) for table in (self.points, self.differences)] for name in self.family
        }
        cases = [(OF_F, {name: name for name in self.family}), (OF_FSL, feitelson_family.fsl())]
        return {
            id: {rule: {on: measure(*tables[name], rule) for on, name in ons.items()} for rule in self.rules}
            for of, ons in cases
            for id, measure in of.items()
        }

    def judge(self):
        return [figure6.decided(id, found) for id, found in self.measured.items()]

    def parts(self):
        found = figure6.parts(self.measured, (MODELS,))
        return {"": found["family"], "fsl": found["fsl"], "members": Part(lambda: self.described, on=(MODELS,))}
