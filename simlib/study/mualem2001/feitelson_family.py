"""Other ways to make the Feitelson '96 model, since its constants are not at hand: what does a result hang on?

MF make three variants of the model F: Fs, with sizes "to emphasize small jobs", Fl, with run times "to emphasize longer
jobs", and Fsl with both, which mimics CTC. Every member of the family is an F with such variants; `MAIN` is the one
that `feitelson96` makes by default. Whether the variants do what their names say is checked when they are read.
"""

import tomllib
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from ..._util import paths
from ...models import feitelson96

MAIN = "mostly Paragon, Fl by size"
"""The member of `feitelson96.table`: run times of Fl and Fsl are fitted size by size."""


@cache
def members() -> dict[str, dict[str, Any]]:
    """Read the family: by name, numbers as from `feitelson96.table`.

    Beside those, `unlike` lists the variants that do not do what their names say (see the function), and `mimics` tells
    how the run times of CTC are fitted: by size, or in the form of the model, in two branches.
    """
    found = tomllib.loads((paths.DATA / "models" / "feitelson_family.toml").read_text(encoding="utf-8"))
    main = feitelson96.table()
    family = {MAIN: main | {"unlike": ["Fl"], "mimics": "by size"}}
    for member in found["member"]:
        size = {"general": member["size"], "ctc": main["size"]["ctc"]}
        run = {"general": member["run"], "ctc": found["ctc"]}
        own = {"fit": f"refitted: {member['name']}", "unlike": member["unlike"], "mimics": "in two branches"}
        family[member["name"]] = main | own | {"size": size, "run": run}
    for name, about in family.items():
        if unlike(about) != about["unlike"]:
            raise ValueError(
                f"feitelson_family: {name}: found that {unlike(about) or 'no variant'} does not do what its name says, "
                f"expected {about['unlike'] or 'none'}"
            )
    return family


def fsl() -> dict[str, str]:
    """Name the Fsl of the family, each with a member that has it: Fsl mimics CTC, whatever F is."""
    found: dict[str, str] = {}
    for name, about in members().items():
        found.setdefault(f"Fsl {about['mimics']}", name)
    return found


def unlike(about: dict[str, Any]) -> list[str]:
    """List the variants that do not do what their names say.

    Fs has smaller jobs than F: on average, and more of up to 8 processors. Fl has longer ones: in the median, and more
    of above one hour and above four.
    """
    table = described(about)
    smaller = table.mean_size["Fs"] < table.mean_size["F"] and table.upto_8["Fs"] > table.upto_8["F"]
    longer = (table.loc["Fl"] > table.loc["F"])[["median_run", "above_1h", "above_4h"]].all()
    return [variant for variant, fits in (("Fs", smaller), ("Fl", longer)) if not fits]


def described(about: dict[str, Any]) -> pd.DataFrame:
    """Work out what the jobs of each variant are like, from the numbers, not from a sample.

    Gives a DataFrame, by variant: `mean_size` (processors); `upto_8`, the share of jobs of up to 8 processors;
    `median_run` (seconds); `above_1h` and `above_4h`, the shares of jobs that run longer.
    """
    n = np.arange(1, about["machine"] + 1)
    seconds = np.geomspace(1, 1e6, 5000)
    rows = {}
    for variant, (sizes, runs) in feitelson96.VARIANTS.items():
        chances = feitelson96.size_chances(about["size"][sizes], about["machine"])
        branches = chances @ feitelson96.branch_chances(about["run"][runs], n)
        upto = 1 - np.exp(-seconds[:, None] / np.array(about["run"][runs]["means"])) @ branches
        rows[variant] = {"mean_size": chances @ n, "upto_8": chances[:8].sum()}
        rows[variant] |= {"median_run": np.interp(0.5, upto, seconds)}
        rows[variant] |= {f"above_{hours}h": 1 - np.interp(3600 * hours, seconds, upto) for hours in (1, 4)}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("variant")
