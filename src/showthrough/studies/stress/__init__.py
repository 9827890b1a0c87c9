"""What systems lose on documents that are harder to read: perturbed corpora, and paired differences."""
