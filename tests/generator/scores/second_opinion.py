"""The same statistics by scipy and statsmodels, with the types that both libraries lack."""
# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false

import gc
import math
from collections.abc import Sequence

import numpy as np
from scipy import special, stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.inter_rater import cohens_kappa as statsmodels_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import DescrStatsW

from generator.scores.intervals import Floats


def compute_normal_below(values: Floats) -> Floats:
    """Return how likely a standard normal number is to be below each value."""
    return np.asarray(special.ndtr(values), dtype=np.float64)


def compute_normal_quantile(shares: Floats) -> Floats:
    """Return the value of a standard normal number below which each share lies."""
    return np.asarray(special.ndtri(shares), dtype=np.float64)


def compute_wilson_interval(passed: int, of: int) -> tuple[float, float]:
    """Return Wilson's interval at 95%."""
    low, high = proportion_confint(passed, of, method="wilson")
    return float(low), float(high)


def compute_mcnemar_p_value(only_first: int, only_second: int) -> float:
    """Return the exact p-value of McNemar's test; at least one eval must differ."""
    return float(statsmodels_mcnemar([[0, only_first], [only_second, 0]], exact=True).pvalue)


def compute_weighted_mean_and_error(
    values: Sequence[float], weights: Sequence[float]
) -> tuple[float, float]:
    """Return a weighted mean and its standard error, weights counting observations."""
    described = DescrStatsW(np.array(values), weights=np.array(weights), ddof=0)
    return float(described.mean), float(described.std) / math.sqrt(sum(weights))


def compute_point_biserial(passed: Floats, total: Floats) -> float:
    """Return the point-biserial correlation."""
    return float(stats.pointbiserialr(passed, total).statistic)


def compute_kendall(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """Return Kendall's tau-b, and its exact two-sided p-value where there are no ties."""
    ties = len(set(first)) < len(first) or len(set(second)) < len(second)
    result = stats.kendalltau(first, second, method="auto" if ties else "exact")
    return float(result.statistic), float(result.pvalue)


def compute_pearson(first: Floats, second: Floats) -> float:
    """Return the correlation of two columns."""
    return float(stats.pearsonr(first, second).statistic)


def compute_fisher_p_value(table: Sequence[Sequence[int]]) -> float:
    """Return the two-sided p-value of Fisher's exact test of a table of two by two."""
    return float(stats.fisher_exact(table).pvalue)


def compute_holm_p_values(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected by Holm's method."""
    # statsmodels collects garbage each time, which is slow where a process holds many objects.
    gc.freeze()
    corrected = np.asarray(multipletests(list(p_values), method="holm")[1], dtype=np.float64)
    gc.unfreeze()
    return corrected.tolist()


def compute_two_sided_p_value(z: float) -> float:
    """Return how likely a standard normal number is to be at least so far from 0."""
    return float(2 * stats.norm.sf(abs(z)))


def compute_cohens_kappa(table: Sequence[Sequence[int]]) -> float:
    """Return Cohen's kappa of a table; nan where it is not defined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(statsmodels_kappa(np.array(table, np.float64), return_results=False))
