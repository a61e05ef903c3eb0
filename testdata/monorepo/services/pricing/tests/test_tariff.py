import pytest

from pricing.tariff import BadTariff, NoBand, read

HEADER = "zone,up_to_grams,cents\n"


@pytest.mark.parametrize(("grams", "cents"), [(1, 800), (1000, 800), (1001, 1600), (2000, 1600)])
def test_band_ends_are_inside(small, grams, cents):
    assert small.price("A", grams) == cents


def test_too_heavy(small):
    with pytest.raises(NoBand, match="2001 g is too heavy for zone A"):
        small.price("A", 2001)


def test_unknown_zone(small):
    with pytest.raises(NoBand, match="unknown zone Q"):
        small.price("Q", 1)


@pytest.mark.parametrize("grams", [0, -1])
def test_weightless(small, grams):
    with pytest.raises(ValueError, match="weighs something"):
        small.price("A", grams)


def test_bands_come_in_any_order():
    assert read(HEADER + "A,2000,2\nB,10,9\nA,1000,1\n").bands == {"A": [(1000, 1), (2000, 2)], "B": [(10, 9)]}


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffzone,up_to_grams,cents\nA,1000,1250\n",
        "zone;up_to_grams;cents\r\nA;1000;12,50\r\n",
        "Zone, Up_To_Grams, Cents\n\nA, 1000, 1250\n,,\n",
        'zone,up_to_grams,cents\n"A","1000","12.50"',
    ],
    ids=["byte order mark", "spreadsheet", "blanks", "quotes, no last newline"],
)
def test_files_that_people_send(text):
    assert read(text).price("A", 1000) == 1250


@pytest.mark.parametrize(
    ("row", "mistake"),
    [
        ("A,1000", "2 columns"),
        ("A,1000,1,2", "4 columns"),
        ("a,1000,1", "zone 'a'"),
        (",1000,1", "zone ''"),
        ("A,0,1", "weight '0'"),
        ("A,-5,1", "weight '-5'"),
        ("A,1.5,1", "weight '1.5'"),
        ("A,²,1", "weight '²'"),
        ("A,1000,free", "price 'free'"),
        ("A,1000,-1", "price '-1'"),
    ],
)
def test_a_bad_row_is_named(row, mistake):
    with pytest.raises(BadTariff) as caught:
        read(HEADER + "A,500,100\n" + row + "\n")
    assert caught.value.lines == [f"line 3: {mistake}"]


def test_all_mistakes_at_once():
    with pytest.raises(BadTariff) as caught:
        read(HEADER + "a,1,1\nA,10,1\nA,x,1\nA,10,2\n")
    assert caught.value.lines == ["line 2: zone 'a'", "line 4: weight 'x'", "line 5: zone A has two prices up to 10 g"]


@pytest.mark.parametrize("text", ["", "zone,grams,cents\nA,1,1\n", HEADER], ids=["empty", "header", "no bands"])
def test_nothing_to_read(text):
    with pytest.raises(BadTariff):
        read(text)


def test_the_real_tariff_only_gets_dearer(prices, subtests):
    for zone, bands in prices.bands.items():
        with subtests.test(zone):
            costs = [cents for _, cents in bands]
            assert costs == sorted(set(costs))
