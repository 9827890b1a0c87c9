class Lengths:
    """Takes texts of about the same length for those of one author."""

    name = "lengths"
    version = 1

    def answers(self, questions):
        return [self.alike(len(one.text), len("".join(one.known))) for one in questions]

    @staticmethod
    def alike(one, other):
        return min(one, other) / max(one, other, 1)
