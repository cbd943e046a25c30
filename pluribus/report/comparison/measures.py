"""What the measures of ``compare`` say, in words a reader knows."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """How to read the value of a measure."""

    title: str
    says: str
    range: str
    alike: str  # the value of equal partitions, or the direction
    spatial: bool = False


MEASURES: dict[str, Measure] = {
    "adjusted_rand_index": Measure(
        "adjusted Rand index", "pairs of objects treated alike, beyond chance", "-0.5 to 1, 0 by chance", "1"
    ),
    "adjusted_mutual_information_index": Measure(
        "adjusted mutual information", "what one tells about the other, beyond chance", "up to 1, 0 by chance", "1"
    ),
    "accuracy_index": Measure("matched objects", "share of the objects in clusters that match", "0 to 1", "1"),
    "edit_distance": Measure(
        "objects to move", "how many objects would have to change cluster", "0 to the number of objects", "0"
    ),
    "rand_index": Measure("Rand index", "share of the pairs treated alike", "0 to 1", "1"),
    "variation_of_information_distance": Measure(
        "variation of information", "what each leaves unknown of the other, in nats", "0 to log n", "0"
    ),
    "lift_emd_distance": Measure(
        "LiftEMD", "how far clusters would have to be moved in the data", "0 to √2", "0", spatial=True
    ),
    "cc_distance": Measure(
        "centers (CC)", "how far apart matching centers are, in scaled units", "0 and more", "0", spatial=True
    ),
    "adco_distance": Measure(
        "density profiles (ADCO)", "how differently clusters are spread over each column", "0, or 1 to 2", "0",
        spatial=True,
    ),
    "rand_distance": Measure("Rand distance", "share of the pairs treated differently", "0 to 1", "0"),
    "mirkin_distance": Measure(
        "Mirkin distance", "number of ordered pairs treated differently", "0 to n (n - 1)", "0"
    ),
    "jaccard_index": Measure(
        "Jaccard index", "of the pairs together in either, the share together in both", "0 to 1", "1"
    ),
    "jaccard_distance": Measure(
        "Jaccard distance", "of the pairs together in either, the share together in one only", "0 to 1", "0"
    ),
    "fowlkes_mallows_index": Measure(
        "Fowlkes-Mallows index", "pairs together in both, against those together in each", "0 to 1", "1"
    ),
    "mutual_information_index": Measure(
        "mutual information", "what one tells about the other, in nats", "0 to log n", "more"
    ),
    "normalized_mutual_information_index": Measure(
        "normalized mutual information", "the same as a share; grows with the number of clusters", "0 to 1", "1"
    ),
    "homogeneity_index": Measure("homogeneity", "clusters of B lie inside clusters of A", "0 to 1", "1"),
    "completeness_index": Measure("completeness", "clusters of A lie inside clusters of B", "0 to 1", "1"),
    "v_measure_index": Measure("V-measure", "harmonic mean of the two above", "0 to 1", "1"),
    "normalized_variation_of_information_distance": Measure(
        "normalized variation of information", "the variation as a share of log n, the most it can be", "0 to 1", "0"
    ),
    "purity_index": Measure(
        "purity", "share of the objects in the largest part of A in their cluster of B", "0 to 1, not symmetric", "1"
    ),
    "van_dongen_distance": Measure(
        "van Dongen distance", "objects outside the best overlap, counted from both sides", "0 to 2 n", "0"
    ),
    "lift_kernel_distance": Measure(
        "LiftKD", "how differently the clusters fill the space, as a whole", "0 to 1.32", "0", spatial=True
    ),
    "lift_hausdorff_distance": Measure(
        "LiftH", "how far the worst cluster is from any of the other", "0 to √2", "0", spatial=True
    ),
    "adco_index": Measure("ADCO index", "how alike clusters are spread over each column", "0 to 1", "1", spatial=True),
    "cdistance": Measure(
        "CDistance", "the cost of moving one onto the other, over moving blindly", "0 to 1", "0", spatial=True
    ),
}  # fmt: skip

SHORT = tuple(MEASURES)[:6]  # those shown unless all are asked for
SHORT_SPATIAL = tuple(MEASURES)[6:9]
