"""The bootstrap of clusters."""

import numpy as np
import pandas as pd

from simlib_study.resampling import cluster_bootstrap, cluster_means


def two_clusters():
    """Forty like rows: 20 of (10, 1), 20 of (1000, 8)."""
    return pd.DataFrame({"run": [10] * 20 + [1000] * 20, "size": [1] * 20 + [8] * 20}), np.repeat([0, 1], 20)


def test_the_same_seed_gives_the_same_resamples():
    one, two = (cluster_bootstrap(*two_clusters(), resamples=10, seed=[5, 1]) for _ in range(2))
    pd.testing.assert_frame_equal(one, two)
    assert not one.equals(cluster_bootstrap(*two_clusters(), resamples=10, seed=6))


def test_medians_of_resamples_are_those_of_the_rows_put_together():
    rng = np.random.default_rng(1)
    cluster, run = rng.integers(0, 5, 200), rng.integers(0, 50, 200)
    drawn = np.random.default_rng(2).multinomial(5, np.full(5, 1 / 5), size=8)
    expected = [np.quantile(np.repeat(run, times[cluster]), 0.5, method="inverted_cdf") for times in drawn]
    found = cluster_bootstrap(pd.DataFrame({"run": run}), cluster, resamples=8, seed=2)
    assert found["run", "median"].tolist() == expected


def test_means_from_sums_over_clusters_are_those_of_the_bootstrap_after_those_of_all_rows():
    values, clusters = two_clusters()
    means = cluster_means(values.groupby(clusters).sum(), np.bincount(clusters), resamples=30, seed=[1, 2])
    assert means.loc[0].tolist() == values.mean().tolist()
    drawn = cluster_bootstrap(values, clusters, resamples=30, seed=[1, 2])
    np.testing.assert_allclose(means[1:], drawn.xs("mean", axis=1, level=1))


def test_the_median_of_an_even_number_of_rows_is_the_lower_one_of_the_middle():
    assert cluster_bootstrap(pd.DataFrame({"x": [1, 2]}), [0, 0], 5)["x", "median"].eq(1).all()
