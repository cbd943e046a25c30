"""Weights of many kernels, with labels (OnlineMultipleKernel) or without (MultipleKernelKMeans)."""
