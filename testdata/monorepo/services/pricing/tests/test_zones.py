import unittest

import pytest

from pricing.zones import normal, zone


@pytest.mark.parametrize(
    ("country", "postcode", "expected"),
    [
        ("DE", "50667", "A"),
        ("DE", "78266", "B"),
        ("DE", "27498", "B"),
        ("AT", "1010", "B"),
        ("FR", "75001", "B"),
        ("FR", "20 000", "C"),
        ("FR", "97100", "D"),
        ("ES", "28001", "C"),
        ("ES", "35001", "D"),
        ("IE", "D02 AF30", "C"),
        ("GB", "SW1A 1AA", "D"),
        ("JP", "100-0001", "D"),
    ],
    ids=["Köln", "Büsingen", "Helgoland", "Wien", "Paris", "Ajaccio", "Guadeloupe", "Madrid", "Las Palmas", "Dublin", "London", "東京"],
)
def test_zone(country, postcode, expected):
    assert zone(country, postcode) == expected


class Normal(unittest.TestCase):
    def test_same_place(self):
        for written in ("sw1a 1aa", "SW1A1AA", " SW1A-1AA "):
            with self.subTest(written=written):
                self.assertEqual(normal(written), "SW1A1AA")

    def test_refused(self):
        for written in ("", "  ", "12#45", "１２３"):
            with self.subTest(written=written):
                self.assertRaises(ValueError, normal, written)
