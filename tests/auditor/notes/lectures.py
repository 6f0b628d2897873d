"""What holds of every entry of every lecture."""

from reports.pictures import draw


class EveryEntry:
    """To be inherited by each lecture's own class of tests."""

    def test_outcome_is_the_expected_one(self, one):
        assert one.as_expected, one.reason or one.explanation

    def test_what_is_not_plainly_true_says_why(self, one):
        if one.outcome in ("false as printed", "misprint", "holds under condition"):
            assert one.finding
            assert one.correction
            assert one.witness
        assert one.explanation or one.reason

    def test_what_is_certified_is_true(self, one):
        assert one.certified is None or one.exact is None or one.certified <= one.exact + 1e-9

    def test_pictures_are_drawn(self, one):
        for picture in one.pictures:
            assert "<svg" in draw(picture).svg
