"""The same statistics by scipy and statsmodels, behind types that they do not have themselves."""
# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false

import math
from collections.abc import Sequence

import numpy as np
from scipy import special, stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import DescrStatsW

from generator.scores.intervals import Floats


def normal_below(values: Floats) -> Floats:
    """Return how likely a standard normal number is to be below each value."""
    return np.asarray(special.ndtr(values), dtype=np.float64)


def normal_quantile(shares: Floats) -> Floats:
    """Return the values that a standard normal number is below that often."""
    return np.asarray(special.ndtri(shares), dtype=np.float64)


def wilson(passed: int, of: int) -> tuple[float, float]:
    """Return Wilson's interval at 95%."""
    low, high = proportion_confint(passed, of, method="wilson")
    return float(low), float(high)


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the exact p-value of McNemar's test; at least one eval must differ."""
    return float(statsmodels_mcnemar([[0, only_first], [only_second, 0]], exact=True).pvalue)


def sign_flips(values: Sequence[int]) -> float:
    """Return the p-value over every choice of signs, counted one by one."""
    result = stats.permutation_test(
        (np.array(values),), np.sum, permutation_type="samples", n_resamples=np.inf
    )
    return float(result.pvalue)


def weighted_mean_and_error(
    values: Sequence[float], weights: Sequence[float]
) -> tuple[float, float]:
    """Return a weighted mean and its standard error, weights counting observations."""
    described = DescrStatsW(np.array(values), weights=np.array(weights), ddof=0)
    return float(described.mean), float(described.std) / math.sqrt(sum(weights))


def effect_seen_with_power(n: int, power: float) -> float:
    """Return the effect, in standard deviations, that a z test of ``n`` at 5% sees so often."""
    return float(NormalIndPower(ddof=0).solve_power(nobs1=n, alpha=0.05, power=power, ratio=0))


def point_biserial(passed: Floats, total: Floats) -> float:
    """Return the point-biserial correlation."""
    return float(stats.pointbiserialr(passed, total).statistic)


def pearson(one: Floats, other: Floats) -> float:
    """Return the correlation of two columns."""
    return float(stats.pearsonr(one, other).statistic)


def fisher(table: Sequence[Sequence[int]]) -> float:
    """Return the two-sided p-value of Fisher's exact test of a table of two by two."""
    return float(stats.fisher_exact(table).pvalue)
