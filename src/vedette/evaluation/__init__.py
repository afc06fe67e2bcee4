"""Accuracy against labels; every module opens with the definition of its metric."""
