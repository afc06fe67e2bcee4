"""The page: well-formed, whole, and in need of nothing from anywhere."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from vedette.replay.policies import PolicyName
from vedette.replay.report.page import render_page

VOID = {"meta", "br", "link", "img", "input", "hr"}
REFERENCES = {"src", "href", "xlink:href", "srcset", "action", "data", "poster"}


class StrictParser(HTMLParser):
    """Checks that tags balance, and collects text, ids and references."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.references = []
        self.ids = []
        self.tags = set()
        self.texts = []

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.references += [value for name, value in attrs if name in REFERENCES]
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def parsed(page):
    parser = StrictParser()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser


@pytest.fixture
def page(report_of, street):
    """The page of a run of three policies with one bad frame."""
    return render_page(report_of(street(20, bad=[5])))


def test_stands_alone(page):
    """No script, no style sheet, no font, no link: every reference is data or a part of the page itself."""
    parser = parsed(page)
    assert parser.tags.isdisjoint({"script", "link", "iframe", "object", "embed", "base"})
    assert parser.references
    for reference in parser.references:
        assert reference.startswith(("data:image/", "#")), reference[:60]
        if reference.startswith("#"):
            assert reference[1:] in parser.ids
    without_data = re.sub(r"data:image/[^\"]+", "", page)
    assert not re.search(r"https?://|//[a-z]+\.|url\(|@import", without_data)


def test_shows_every_policy_and_figure(page):
    """Each policy stands in table, plots and pictures; text is escaped; definitions stand beneath."""
    parser = parsed(page)
    text = " ".join(parser.texts)
    for policy in ("edge-only", "cloud-only", "moby"):
        assert text.count(policy) >= 6
    for expected in (
        "Replay of <street>",
        "street & car",
        "Times are <simulated>.",
        "F1, 3D IoU 0.5, to 50 m",
        "Frame 3",
        "Frame 9",
        "KITTI average precision",
        "interval: 7",
    ):
        assert expected in text
    assert len(parser.ids) == 4  # image and sweep of two frames


def test_every_policy_of_a_long_list_is_shown(report_of, street):
    """All ten and two variants, each in a colour of its own."""
    policies = [*map(str, PolicyName), "edge-only:other", "cloud-only:raw"]
    report = report_of(street(10), policies)
    page = render_page(report)
    text = " ".join(parsed(page).texts)
    assert report.policies == policies
    assert len({report.colour(policy) for policy in policies}) == len(policies)
    for policy in policies:
        assert text.count(policy) >= 5, policy
        assert report.colour(policy) in page


def test_same_input_same_page(report_of, street):
    """The page has no date and no chance in it."""
    assert render_page(report_of(street(12))) == render_page(report_of(street(12)))


@pytest.mark.parametrize(
    "options",
    [
        {"policies": ["moby"]},
        {"network": "constant:0mbps"},  # nobody ever answers
    ],
)
def test_odd_reports(report_of, street, options):
    """One policy alone; a cloud that never answers."""
    parsed(render_page(report_of(street(10), **options)))


@pytest.mark.parametrize("recording", [{"frame_count": 1}, {"frame_count": 6, "unlabelled": range(6)}])
def test_odd_recordings(report_of, street, recording):
    """A single frame; no labels at all."""
    parsed(render_page(report_of(street(**recording))))
